"""Approvals of a dossier: a hash-chained ledger, pages that show it, a seal that closes it."""
