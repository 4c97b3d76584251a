"""Watching folders: what arrives is recognised, solved and drawn."""
