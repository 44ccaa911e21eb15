"""The examples of the pages run with the tests; what is made from the code does not."""

collect_ignore = ["conf.py", "pages.py"]
collect_ignore_glob = ["generated/*", "gallery/*"]
