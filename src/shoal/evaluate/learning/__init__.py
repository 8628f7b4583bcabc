"""Classifiers, and how well those learned from a release do on originals."""
