"""What a file about a table says of its columns: described, of frictionless, csvw or ddi; reading, applying.

Such a file was written by people who know what values are possible. What it lists is taken as declared, and the release
file says where it stood; it must not have been made from the data.
"""
