"""The limits of every joint, read from the URDF and not by our own code."""

from collections import namedtuple
import xml.etree.ElementTree as ElementTree

from processes import ROOT

URDF = ROOT / 'urdf' / 'hexapod.urdf'

Limit = namedtuple('Limit', 'lower upper velocity')


def read_limits():
    """Return the limits of every joint."""
    joints = [joint for joint in ElementTree.parse(URDF).getroot().iter('joint') if joint.get('type') == 'revolute']
    return {joint.get('name'): Limit(*(float(joint.find('limit').get(key)) for key in Limit._fields)) for joint in joints}


LIMITS = read_limits()
