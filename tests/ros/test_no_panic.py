"""Nothing that a tick runs can panic: in the machine code of the release build no call to a panic is reachable from it."""

import collections
import re
import shutil
import subprocess

from processes import binary
import pytest

pytestmark = pytest.mark.skipif(not all(map(shutil.which, ('nm', 'readelf', 'objdump'))), reason='needs binutils')

TICK = ('hexapod_gait::engine::Engine::step', 'hexapod_gait::motion::player::Player::step')
PANICS = ('core::panicking', 'core::slice::index::slice_', 'core::option::', 'core::result::', 'core::cell::',
          'std::panicking', 'alloc::alloc::handle_alloc_error', 'alloc::raw_vec')
# Where a panic would come while another is under way.
NO_FIRST_PANICS = ('core::panicking::panic_in_cleanup', 'core::panicking::panic_cannot_unwind')


def output(*command):
    """Return what a command prints, line by line."""
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.splitlines()


def functions(program):
    """Return the name of the function at each address."""
    rows = (line.split(' ', 2) for line in output('nm', '-C', program))
    return {int(row[0], 16): row[2] for row in rows if len(row) == 3 and row[0] and row[1] in 'tTwW'}


def slots(program):
    """Return the function at the end of each pointer through which others are called."""
    rows = (line.split() for line in output('readelf', '-rW', program))
    return {int(row[0], 16): int(row[3], 16) for row in rows if len(row) == 4 and row[2].endswith('_RELATIVE')}


def calls(program, names):
    """Return, for each function, those it calls, jumps into or takes the address of."""
    pointers, called, here = slots(program), collections.defaultdict(set), None
    for line in output('objdump', '-d', '--no-show-raw-insn', program):
        if start := re.match(r'([0-9a-f]+) <', line):
            here = int(start[1], 16)
        elif through := re.search(r'# ([0-9a-f]+)', line):
            at = int(through[1], 16)
            called[here].add(pointers.get(at, at))
        elif to := re.search(r'\t(?:call|jmp|j[a-z]+|bl?)\s+([0-9a-f]+) <', line):
            called[here].add(int(to[1], 16))
    return {caller: (all_called & names.keys()) - {caller} for caller, all_called in called.items()}


def panics(program, roots):
    """Return what calls a panic, of all that is reached from the functions with these names, and how much that is."""
    names = functions(program)
    called = calls(program, names)
    seen = {address for address, name in names.items() if name in roots}
    todo, found = list(seen), set()
    while todo:
        caller = todo.pop()
        for address in called.get(caller, ()):
            if names[address] in NO_FIRST_PANICS:
                continue
            if names[address].startswith(PANICS):
                found.add(f'{names[caller]} calls {names[address]}')
            elif address not in seen:
                seen.add(address)
                todo.append(address)
    return sorted(found), len(seen)


def test_when_a_tick_is_followed_through_the_machine_code_expect_no_panic():
    found, seen = panics(binary('hexapod'), TICK)
    assert seen > 30, 'the tick is there'
    assert not found, '\n'.join(found)


def test_when_something_that_can_panic_is_followed_expect_it_found():
    found, _ = panics(binary('hexapod'), ('hexapod::main',))
    assert found
