"""Models as plain data, and what each can say of the scores a record can reach."""
