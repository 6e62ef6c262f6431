//! What the environment asks of ROS, looked at before the middleware does, which speaks of ports.

/// The last domain: beyond it there are no ports.
pub const LAST_DOMAIN: u32 = 232;

/// Why ROS cannot start with this `ROS_DOMAIN_ID`, and what would be right.
pub(crate) fn no_domain(domain: &str) -> Option<String> {
    // rcl reads hexadecimal numbers, too.
    let number = domain.strip_prefix("0x").map_or_else(|| domain.parse(), |digits| u32::from_str_radix(digits, 16));
    let is_one = domain.is_empty() || number.is_ok_and(|number| number <= LAST_DOMAIN);
    (!is_one).then(|| {
        format!("ROS_DOMAIN_ID is {domain}, and there are 0 to {LAST_DOMAIN}: export ROS_DOMAIN_ID=1   # 0 to 101")
    })
}

/// Why ROS cannot start with this `RMW_IMPLEMENTATION`, where that was `loaded` instead.
pub(crate) fn no_middleware(chosen: &str, loaded: impl FnOnce() -> String) -> Option<String> {
    let is_there = chosen.is_empty() || chosen == loaded();
    (!is_there).then(|| {
        format!("RMW_IMPLEMENTATION is {chosen}, which is not installed: unset RMW_IMPLEMENTATION   # or install it")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn when_there_is_no_such_domain_expect_that_named() {
        for domain in ["", "0", "101", "232", "0x10"] {
            assert_eq!(no_domain(domain), None, "{domain}");
        }
        for domain in ["233", "300", "-1", "abc", "1.5"] {
            let words = no_domain(domain).unwrap_or_default();
            assert!(words.contains(&format!("ROS_DOMAIN_ID is {domain}, and there are 0 to 232")), "{words}");
        }
    }

    #[test]
    fn when_the_middleware_is_not_there_expect_that_named() {
        let fast_dds = || "rmw_fastrtps_cpp".into();
        assert_eq!(no_middleware("", || unreachable!()), None);
        assert_eq!(no_middleware("rmw_fastrtps_cpp", fast_dds), None);
        let words = no_middleware("rmw_nonsense", fast_dds).unwrap_or_default();
        assert!(words.contains("rmw_nonsense, which is not installed: unset"), "{words}");
    }
}
