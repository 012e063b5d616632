"""``python -m reportgen.cli``: the command line without its script."""

from reportgen.cli import main

if __name__ == "__main__":
    main()
