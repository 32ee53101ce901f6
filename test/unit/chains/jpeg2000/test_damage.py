"""Damaged and lying files are refused with a sentence; nothing else is raised, nothing is large."""
from support.jpeg2000_fuzz import corpus, fuzz, survive


def test_thousands_of_damaged_files_raise_nothing_but_sentences():
    assert all(map(survive, corpus()))
    assert 500 < fuzz(4000) < 3000
