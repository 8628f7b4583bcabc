"""A release in the words of other programs: certificate_schema; metadata, which writes data_package, csvw, provenance.

Everything here follows from the certificate and from the published file, so that it may be published with them.
"""
