//! Which sections of a parameter file concern which node.

/// How closely a section's name fits a node: the number of words it spells out. `None` when it does not fit.
///
/// `*` stands for one word and `**` for any number of them. A section without leading slash fits the node of that
/// name in whatever namespace.
pub(super) fn fit(section: &str, node: &str) -> Option<usize> {
    let node = words(node);
    if !section.starts_with('/') && !section.contains('/') && section != "**" {
        return (node.last() == Some(&section)).then_some(1);
    }
    let pattern = words(section);
    fits(&pattern, &node).then(|| pattern.iter().filter(|word| !is_wild(word)).count())
}

/// The node's own name in a section's name; `None` when it ends in a wildcard.
pub(super) fn node_name(section: &str) -> Option<&str> {
    words(section).last().copied().filter(|word| !is_wild(word))
}

fn words(name: &str) -> Vec<&str> {
    name.split('/').filter(|word| !word.is_empty()).collect()
}

fn is_wild(word: &str) -> bool {
    matches!(word, "*" | "**")
}

/// Greedy matching with one step back, as for file name patterns: linear in practice, never exponential.
fn fits(pattern: &[&str], name: &[&str]) -> bool {
    let (mut at, mut word) = (0, 0);
    let mut retry = None;
    while word < name.len() {
        match pattern.get(at) {
            Some(&"**") => {
                retry = Some((at + 1, word));
                at += 1;
            }
            Some(expected) if *expected == "*" || *expected == name[word] => {
                at += 1;
                word += 1;
            }
            _ => match retry {
                Some((after, from)) => {
                    retry = Some((after, from + 1));
                    at = after;
                    word = from + 1;
                }
                None => return false,
            },
        }
    }
    pattern[at..].iter().all(|rest| *rest == "**")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn when_sections_are_wild_expect_ros_matching() {
        let cases = [
            ("/**", "gait_planner", Some(0)),
            ("/*", "gait_planner", Some(0)),
            ("/*", "/robot/gait_planner", None),
            ("gait_planner", "/robot/gait_planner", Some(1)),
            ("/gait_planner", "gait_planner", Some(1)),
            ("/gait_planner", "/robot/gait_planner", None),
            ("/**/gait_planner", "gait_planner", Some(1)),
            ("/**/gait_planner", "/a/b/gait_planner", Some(1)),
            ("/a/**/gait_planner", "/a/b/gait_planner", Some(2)),
            ("/**/b/**/c", "/b/x/b/y/c", Some(2)),
            ("/**/c/d", "/c/x/d", None),
            ("servo_driver", "gait_planner", None),
        ];
        for (section, node, expected) in cases {
            assert_eq!(fit(section, node), expected, "{section} and {node}");
        }
    }
}
