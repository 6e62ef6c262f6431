"""A ROS domain of its own for every robot, so that neither a real robot nor another test run can interfere."""

import os
from pathlib import Path

# Domains above 101 run into the ports that Linux hands out by itself.
DOMAINS = 100
# Ports of domain d start at 7400 + 250 d (DDSI-RTPS 9.6.2.3).
FIRST_PORT, PORTS = 7400, 250

_given = []


def next_domain():
    """Return a domain nobody on this machine uses; a robot killed in an earlier test may still be announced in its."""
    own = own_domains()
    start = own.index(_given[-1]) + 1 if _given else int(os.environ.get('ROS_DOMAIN_ID', os.getpid())) - 1
    used = used_domains()
    candidates = [own[(start + step) % len(own)] for step in range(len(own))]
    domain = next((candidate for candidate in candidates if candidate not in used), candidates[0])
    _given.append(domain)
    return domain


def own_domains():
    """Return the domains of this process: tests that run side by side (pytest-xdist) share none."""
    worker = int(os.environ.get('PYTEST_XDIST_WORKER', 'gw0')[2:])
    workers = int(os.environ.get('PYTEST_XDIST_WORKER_COUNT', '1'))
    return range(1 + worker, 1 + DOMAINS, workers)


def used_domains():
    """Return the domains whose ports are open on this machine."""
    return {(port - FIRST_PORT) // PORTS for port in open_ports() if port >= FIRST_PORT}


def open_ports():
    """Return the local UDP ports in use; none where the system does not tell."""
    ports = set()
    for table in ('/proc/net/udp', '/proc/net/udp6'):
        try:
            lines = Path(table).read_text().splitlines()[1:]
        except OSError:
            continue
        ports |= {int(line.split()[1].rsplit(':', 1)[1], 16) for line in lines}
    return ports
