//! Where robots are looked for, which are found, and what to check where none is heard.

use std::collections::BTreeMap;

/// How far this process hears, as its environment says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reach {
    domain: String,
    range: String,
    /// Why nobody on another computer is heard; empty if they are.
    local_by: &'static str,
    peers: String,
}

impl Reach {
    /// The reach of this process.
    #[must_use]
    pub fn of_process() -> Self {
        Self::of(|name| std::env::var(name).unwrap_or_default())
    }

    fn of(variable: impl Fn(&str) -> String) -> Self {
        let or = |name: &str, default: &str| Some(variable(name)).filter(|v| !v.is_empty()).unwrap_or(default.into());
        let range = or("ROS_AUTOMATIC_DISCOVERY_RANGE", "SUBNET");
        // ROS_LOCALHOST_ONLY is the older of the two and overrides the other where it is set.
        let local_by = match (variable("ROS_LOCALHOST_ONLY").as_str(), range.as_str()) {
            ("1", _) => "ROS_LOCALHOST_ONLY=1",
            (_, "LOCALHOST") => "ROS_AUTOMATIC_DISCOVERY_RANGE=LOCALHOST",
            (_, "OFF") => "ROS_AUTOMATIC_DISCOVERY_RANGE=OFF",
            _ => "",
        };
        // It overrides the peers, too.
        let peers = if variable("ROS_LOCALHOST_ONLY") == "1" { String::new() } else { variable("ROS_STATIC_PEERS") };
        Self { domain: or("ROS_DOMAIN_ID", "0"), range, local_by, peers }
    }

    /// How far it hears, for people.
    #[must_use]
    pub fn words(&self) -> String {
        let mut words = match self.local_by {
            "" => format!("discovery range {} (ROS_AUTOMATIC_DISCOVERY_RANGE)", self.range),
            why if why.ends_with("OFF") => format!("discovery is off ({why})"),
            why => format!("on this computer only ({why})"),
        };
        if !self.peers.is_empty() {
            words.push_str(&format!(", static peers {} (ROS_STATIC_PEERS)", self.peers));
        }
        words
    }

    /// What to check of the network.
    fn check(&self) -> &'static str {
        match self.local_by {
            "" => "Does the network pass multicast? If not, name the robot in ROS_STATIC_PEERS.",
            why if why.ends_with("OFF") => "Set ROS_AUTOMATIC_DISCOVERY_RANGE=SUBNET, here and on the robot.",
            _ => "Is it on another computer? Then both need ROS_AUTOMATIC_DISCOVERY_RANGE=SUBNET.",
        }
    }
}

/// How to drive a robot of another namespace.
pub const DRIVE: &str = "Drive one: hexapod drive --ros-args -r __ns:=";

/// What is known of the robots around.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DiscoveryHint {
    reach: Reach,
    /// Empty for all.
    namespace: String,
    /// How to reach a robot elsewhere, up to its namespace.
    remedy: &'static str,
    /// The node that is to answer.
    node: &'static str,
    /// Namespaces with one, and how many each has.
    robots: BTreeMap<String, usize>,
}

impl DiscoveryHint {
    /// A look for the robot of `namespace`, as in `/left`, or for all where that is empty; `remedy` is how to reach one
    /// elsewhere, up to its namespace.
    #[must_use]
    pub fn new(reach: Reach, namespace: String, remedy: &'static str) -> Self {
        Self { reach, namespace, remedy, node: gait_planner::NAME, robots: BTreeMap::new() }
    }

    /// The same where another node than the planner is to answer.
    #[must_use]
    pub fn of_node(self, node: &'static str) -> Self {
        Self { node, ..self }
    }

    /// Takes the robots from the full names of all nodes.
    pub fn see(&mut self, nodes: &[String]) {
        self.robots.clear();
        for node in nodes {
            if let Some((namespace, _)) = node.rsplit_once('/').filter(|(_, name)| *name == self.node) {
                let namespace = if namespace.is_empty() { "/" } else { namespace };
                *self.robots.entry(namespace.into()).or_default() += 1;
            }
        }
    }

    /// What to say while no robot is heard; `silent` if one was.
    #[must_use]
    pub fn unheard(&self, silent: bool) -> Vec<String> {
        let Self { reach, namespace, .. } = self;
        let place = if namespace.is_empty() { "all namespaces".into() } else { format!("namespace {namespace}") };
        let mut lines =
            vec![format!("Looked for in {place}, ROS_DOMAIN_ID {}, {}.", reach.domain, reach.words()), self.found()];
        if silent {
            lines.push("Its process has ended or hangs, or the network is cut: look at the robot itself.".into());
            lines.push("X, Space and O are sent all the same; keys that move it are not.".into());
        } else {
            lines.push("Is it running (hexapod run), with this ROS_DOMAIN_ID and the same RMW_IMPLEMENTATION?".into());
            lines.push(reach.check().into());
        }
        lines
    }

    /// What to say while the robot is heard.
    #[must_use]
    pub fn heard(&self) -> Vec<String> {
        let shared = self.robots.get(&self.namespace).filter(|&&count| count > 1);
        let shared = shared.map(|count| {
            format!("careful: {count} {}s in {} follow these keys, or one has just died", self.node, self.namespace)
        });
        shared.into_iter().chain(self.another()).collect()
    }

    fn found(&self) -> String {
        let here = self.robots.contains_key(&self.namespace);
        match self.another() {
            Some(another) => another,
            None if here => format!("Its {} is known, but says nothing: it has just ended, or hangs.", self.node),
            None => format!("No {} is found in any namespace.", self.node),
        }
    }

    /// Which robots there are in other namespaces, and how to drive one of them.
    fn another(&self) -> Option<String> {
        let others: Vec<_> = self.robots.keys().filter(|robot| **robot != self.namespace).take(8).collect();
        let first = others.first()?;
        let names = others.iter().map(|robot| robot.as_str()).collect::<Vec<_>>().join(" ");
        Some(format!("Robots in other namespaces: {names}. {}{first}", self.remedy))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reach(variables: &[(&str, &str)]) -> Reach {
        let get = |name: &str| variables.iter().find(|(known, _)| *known == name).map_or("", |(_, value)| value);
        Reach::of(|name| get(name).into())
    }

    fn discovery_hint(variables: &[(&str, &str)], namespace: &str, nodes: &[&str]) -> DiscoveryHint {
        let mut discovery_hint = DiscoveryHint::new(reach(variables), namespace.into(), DRIVE);
        discovery_hint.see(&nodes.iter().map(|node| (*node).to_owned()).collect::<Vec<_>>());
        discovery_hint
    }

    #[test]
    fn when_the_environment_is_read_expect_how_far_is_heard_and_what_to_check() {
        for (variables, words, check) in [
            (&[][..], "ROS_DOMAIN_ID 0, discovery range SUBNET", "multicast"),
            (&[("ROS_DOMAIN_ID", "7"), ("ROS_LOCALHOST_ONLY", "0")], "ROS_DOMAIN_ID 7, discovery range", "multicast"),
            (&[("ROS_LOCALHOST_ONLY", "1")], "this computer only (ROS_LOCALHOST_ONLY=1)", "another computer"),
            (&[("ROS_AUTOMATIC_DISCOVERY_RANGE", "LOCALHOST")], "this computer only (ROS_AUTO", "another computer"),
            (&[("ROS_AUTOMATIC_DISCOVERY_RANGE", "OFF")], "discovery is off", "=SUBNET"),
            (&[("ROS_STATIC_PEERS", "10.0.0.7")], "static peers 10.0.0.7", "multicast"),
        ] {
            let text = discovery_hint(variables, "/", &[]).unheard(false).join("\n");
            assert!(text.contains(words) && text.contains(check), "{variables:?}: {text}");
            assert!(text.contains("namespace /,") && text.contains("No gait_planner"), "{text}");
        }
    }

    #[test]
    fn when_robots_are_in_other_namespaces_expect_them_and_how_to_drive_one() {
        let nodes = ["/left/gait_planner", "/left/servo_driver", "/a/b/gait_planner", "/hexapod_drive"];
        let elsewhere = discovery_hint(&[], "/", &nodes);
        let text = elsewhere.unheard(false).join("\n");
        assert!(text.contains("namespaces: /a/b /left. Drive one: hexapod drive --ros-args -r __ns:=/a/b"), "{text}");
        assert_eq!(elsewhere.heard().len(), 1);
        assert_eq!(discovery_hint(&[], "/left", &nodes).heard().len(), 1);
        assert!(discovery_hint(&[], "/left", &["/left/gait_planner"]).heard().is_empty());
        assert!(discovery_hint(&[], "/", &["/gait_planner"]).unheard(true).join("\n").contains("says nothing"));
    }

    #[test]
    fn when_two_robots_share_the_namespace_expect_a_warning() {
        let both = discovery_hint(&[], "/", &["/gait_planner", "/gait_planner"]).heard();
        assert!(both.len() == 1 && both[0].contains("careful: 2"), "{both:?}");
    }
}
