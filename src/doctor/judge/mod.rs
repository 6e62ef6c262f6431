//! From facts to findings. Reads nothing: machines that nobody has at hand are judged in tests.

mod computer;
mod servos;

use super::facts::Facts;
use super::finding::Finding;

/// Everything there is to say, in the order in which it is best mended.
#[must_use]
pub fn judge(facts: &Facts) -> Vec<Finding> {
    let mut findings = vec![Finding::ok("system", facts.system.clone())];
    findings.extend(computer::ros(&facts.ros));
    findings.push(computer::real_time(&facts.user, &facts.limits));
    findings.extend(computer::power(&facts.power));
    findings.extend(servos::config(facts));
    findings.extend(servos::groups(facts));
    findings.extend(servos::bus(facts));
    findings.extend(servos::pins(facts));
    findings.extend(servos::stop_button(facts));
    findings.extend(servos::adapters(facts));
    findings.push(computer::page(&facts.page));
    findings.push(computer::log(&facts.log));
    findings.extend(computer::room(facts.disk_mb, facts.memory_mb));
    findings
}

#[cfg(test)]
mod tests;
