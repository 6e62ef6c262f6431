"""
`deploy/sros2/policy.xml` allows the robot's nodes what they do, and nothing else; users what docs/interface.md offers them.

It is compared with what nodes open, not enforced: Fast DDS of the wheels is built without security (`security is disabled` in
its library), and so would let everybody do everything.
"""

from importlib.util import find_spec
import re
import xml.etree.ElementTree as ElementTree

import pytest

pytest.importorskip('rclpy')

from conftest import Session
from processes import ROOT
from rclpy._rclpy_pybind11 import NodeNameNonExistentError

POLICY = ROOT / 'deploy' / 'sros2' / 'policy.xml'
NODES = ('gait_planner', 'servo_driver', 'state_publisher')
# Opened where servos on a serial bus measure their supply.
OF_SERVOS = {('publish', '/battery'), ('publish', '/foot_switches')}
# Opened by parameters that are off by default: simulated time, feet that feel the ground, a body that is kept level, ground
# that is seen.
OF_BUILDS = set() if find_spec('control_msgs') else {ACTION}
SOMETIMES = OF_SERVOS | OF_BUILDS | {('publish', '/elevation')} | {
    ('subscribe', name) for name in ('/clock', '/foot_switches', '/imu/data', '/points', '/sensed_contacts')}
# Served where control_msgs was installed when the robot was built.
ACTION = ('execute', '/follow_joint_trajectory')
# Switches that only hardware makes a difference to.
OF_HARDWARE = {'guard'}
# What every node of rclpy and rclcpp has.
ANYWAY = {('publish', '/rosout'), ('publish', '/parameter_events'), ('subscribe', '/clock')}


def absolute(name, node):
    """Return a name of the policy as the graph shows it."""
    return name if name.startswith('/') else f'/{node}/{name[2:]}' if name.startswith('~/') else f'/{name}'


def rights(enclave, node=None):
    """Return what an enclave may do, or one node in it: pairs of verb and name."""
    policy = ElementTree.parse(POLICY).getroot()
    assert policy.get('version') == '0.2.0'
    found = set()
    for profile in policy.findall(f"enclaves/enclave[@path='{enclave}']/profiles/profile"):
        if node not in (None, profile.get('node')):
            continue
        for group in profile:
            (verb, allowed), = group.attrib.items()
            assert allowed == 'ALLOW' and (group.tag, verb) in {
                ('topics', 'publish'), ('topics', 'subscribe'), ('services', 'reply'), ('services', 'request'),
                ('actions', 'execute'), ('actions', 'call')}
            names = [absolute(each.text, profile.get('node')) for each in group]
            assert len(names) == len(set(names)) and names, (verb, names)
            found |= {(verb, name) for name in names}
    assert found, (enclave, node)
    return found


def opened(user, node):
    """Return what a running node has opened, as far as the user has heard of it."""
    graph = user.node
    kinds = {'publish': graph.get_publisher_names_and_types_by_node, 'subscribe': graph.get_subscriber_names_and_types_by_node,
             'reply': graph.get_service_names_and_types_by_node, 'request': graph.get_client_names_and_types_by_node}
    try:
        found = {(verb, name) for verb, ask in kinds.items() for name, _ in ask(node, '/')}
    except NodeNameNonExistentError:
        # Which nodes a process has comes in a message of its own, which may come after those of its topics.
        return set()
    parts = {(verb, name) for verb, name in found if '/_action/' in name}
    assert {verb for verb, _ in parts} <= {'publish', 'reply'}, parts
    return found - parts | {('execute', name.partition('/_action/')[0]) for _, name in parts}


@pytest.mark.parametrize('node', NODES)
def test_when_the_robot_runs_expect_the_policy_to_allow_each_node_what_it_has_opened_and_nothing_else(shared_session, node):
    user, allowed = shared_session.user, rights('/robot', node)
    user.until(lambda: ('reply', f'/{node}/set_parameters') in opened(user, node), 10.0, f'{node} in the graph')
    user.until(lambda: opened(user, node) | SOMETIMES == allowed | SOMETIMES, 5.0,
               lambda: sorted((opened(user, node) | SOMETIMES) ^ (allowed | SOMETIMES)))


def switches(user, node):
    """Return the switches of a running node, and what each is not."""
    names = sorted(user.list_params(node))
    values = dict(zip(names, user.get_params(node, *names)))
    return {name: not value for name, value in values.items() if isinstance(value, bool) and name not in OF_HARDWARE}


@pytest.mark.timeout(300)
@pytest.mark.in_turn(2, 0)
def test_when_switches_are_set_otherwise_expect_the_policy_to_allow_what_is_opened_then_and_nothing_that_never_is(
        shared_session, tmp_path):
    flips = [(node, name, value) for node in NODES for name, value in switches(shared_session.user, node).items()]
    assert {name for _, name, _ in flips} >= {'use_sim_time', 'use_foot_switches', 'use_sensed_contacts', 'use_imu'}
    ever = {node: opened(shared_session.user, node) for node in NODES}
    for node, name, value in flips:
        session = Session(tmp_path)
        try:
            session.start('hexapod', 'run', '--web', '-p', 'web_teleop.port:=0', '-p', f'{node}.{name}:={str(value).lower()}')
            user, nodes = session.user, (*NODES, 'web_teleop')
            user.until(lambda: all(('reply', f'/{each}/set_parameters') in opened(user, each) for each in nodes), 15.0,
                       f'the robot with {name} {value}')
            user.spin(0.5)
            for each in nodes:
                assert opened(user, each) <= rights('/robot', each), (each, name, value)
            ever[node] |= opened(user, node)
        finally:
            session.close()
    for node in NODES:
        assert ever[node] | OF_SERVOS | OF_BUILDS == rights('/robot', node) | OF_SERVOS | OF_BUILDS, node


def test_when_users_have_rights_expect_each_to_be_served_by_the_robot():
    counterpart = {'publish': 'subscribe', 'subscribe': 'publish', 'request': 'reply', 'call': 'execute'}
    served = rights('/robot')
    for enclave in ('/driver', '/viewer'):
        for verb, name in rights(enclave) - ANYWAY:
            assert (counterpart[verb], name) in served, (enclave, verb, name)


def test_when_the_documentation_offers_a_topic_or_service_expect_a_driver_who_may_use_it():
    lines = (ROOT / 'docs' / 'interface.md').read_text().split('## Topics')[1].split('\n## ')[0].splitlines()
    verbs = {' in': ('publish',), ' out': ('subscribe',), ' action': ('call',), '': ('request',)}
    allowed = rights('/driver')
    names = set()
    for line in lines:
        if line.startswith('| ') and not line.startswith('| node'):
            cell = line.split('|')[2]
            verb = next(verb for mark, verb in verbs.items() if mark in re.sub(r'`[^`]*`', '', cell))[0]
            names |= {(verb, name if name.startswith('/') else f'/{name}') for name in re.findall(r'`([^`]+)`', cell)}
    assert len(names) > 20
    internal = {('publish', '/joint_commands'), ('publish', '/sensed_contacts')}
    leg = {('request', '/relax/<leg>'), ('publish', '/foothold/<leg>'), ('subscribe', '/foot_forces/<leg>'), ('subscribe', '/predicted_foot_forces/<leg>')}
    assert names - internal - leg <= allowed, names - internal - leg - allowed
    assert all(any(name.startswith(topic) for _, name in allowed) for topic in ('/relax/', '/foothold/'))


def test_when_somebody_only_looks_on_expect_that_they_may_stop_the_robot_and_do_nothing_else_to_it():
    acts = {(verb, name) for verb, name in rights('/viewer') - ANYWAY if verb != 'subscribe' and 'parameter' not in name}
    assert acts == {('publish', '/emergency_stop'), ('request', '/emergency_stop'), ('request', '/stop')}
    assert not [name for _, name in rights('/viewer') if name.endswith(('set_parameters', 'set_parameters_atomically'))]
