"""Become a user without any rights, then run a program: `as_nobody.py PROGRAM ARGUMENTS`."""

import os
import sys

NOBODY = 65534

os.setgroups([])
os.setgid(NOBODY)
os.setuid(NOBODY)
os.execv(sys.argv[1], sys.argv[1:])
