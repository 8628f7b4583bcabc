"""What a release promises: guarantees and their sentences, the certificate, and checking it again.

Read in this order: `guarantee` (a promise and its basis), `statements` (its sentences), `verify` (is it so?), `certify`
(what a release may say about itself), `certificate` (read and written), `folder` (the files of a release), `signing`,
`checking` (from the files alone); `containment`: what a paid run may say when it fails.
"""
