"""The local web page and its HTTP API: a thin layer over the calls that the command line makes too."""
