"""The dossier as a record: digests, revisions, the folder. The only reader of the clock."""
