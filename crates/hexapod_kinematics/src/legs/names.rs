//! Names of legs: what the names of their joints have in common, else where they are.

use super::find::LegChain;
use super::hips::base_from_hips;
use super::options::Front;
use super::order::{Side, side_of};
use crate::leg::Leg;
use crate::model::Model;

/// A name for each chain: given; or the common beginning of its joints' names (`left_front_coxa`, `left_front_femur`
/// is `left_front`); or their common end (`j_coxa_lf`, `j_femur_lf` is `lf`); or from where the leg is.
pub(super) fn names(model: &Model, chains: &[LegChain]) -> Vec<String> {
    let given: Option<Vec<String>> = chains.iter().map(|c| c.name.clone()).collect();
    let words: Vec<Vec<Vec<&str>>> = chains.iter().map(|c| joint_words(model, c)).collect();
    let usable = |names: &Vec<String>| names.iter().all(|n| !n.is_empty()) && all_differ(names);
    let from_start: Vec<String> = words.iter().map(|w| common_start(w)).collect();
    let from_end: Vec<String> = strip_shared_words(words.iter().map(|w| common_end(w)).collect());
    given
        .filter(usable)
        .or_else(|| Some(from_start).filter(usable))
        .or_else(|| Some(from_end).filter(usable))
        .unwrap_or_else(|| by_place(model, chains))
}

fn joint_words<'a>(model: &'a Model, chain: &LegChain) -> Vec<Vec<&'a str>> {
    let names = chain.moving.iter().filter_map(|&i| model.joints().get(i)).map(|j| j.name());
    names.map(|n| n.split(['_', '-', '.', '/', ' ']).filter(|w| !w.is_empty()).collect()).collect()
}

fn common_start(words: &[Vec<&str>]) -> String {
    let Some(first) = words.first() else { return String::new() };
    let shared = (0..first.len()).take_while(|&i| words.iter().all(|w| w.get(i) == first.get(i) && w.len() > i + 1));
    shared.filter_map(|i| first.get(i).copied()).collect::<Vec<_>>().join("_")
}

fn common_end<'a>(words: &[Vec<&'a str>]) -> Vec<&'a str> {
    let Some(first) = words.first() else { return Vec::new() };
    let from_end = |w: &[&'a str], i: usize| w.len().checked_sub(i + 1).and_then(|k| w.get(k).copied());
    let shared = (0..first.len()).take_while(|&i| words.iter().all(|w| from_end(w, i) == from_end(first, i)));
    let mut end: Vec<&str> = shared.filter_map(|i| from_end(first, i)).collect();
    end.reverse();
    end
}

/// Words that every leg has, such as `joint`, say nothing about a leg.
fn strip_shared_words(names: Vec<Vec<&str>>) -> Vec<String> {
    let shared = |word: &&str| names.iter().all(|n| n.contains(word));
    names.iter().map(|n| n.iter().filter(|w| !shared(w)).copied().collect::<Vec<_>>().join("_")).collect()
}

fn all_differ(names: &[String]) -> bool {
    names.iter().enumerate().all(|(i, n)| !names.iter().skip(i + 1).any(|m| m == n))
}

/// `left_front`, `left_middle`, `left_rear`, ... by position, numbered where a side has more than four.
fn by_place(model: &Model, chains: &[LegChain]) -> Vec<String> {
    let legs: Option<Vec<Leg>> =
        chains.iter().map(|chain| super::find::leg(model, chain, String::new()).ok()).collect();
    let Some(legs) = legs else { return (1..=chains.len()).map(|index| format!("leg_{index}")).collect() };
    let frame = base_from_hips(&legs, Front::Base);
    let spots: Vec<(Side, f64)> = legs.iter().map(|leg| side_of(leg, &frame)).collect();
    spots
        .iter()
        .enumerate()
        .map(|(i, (side, x))| {
            let ahead = |j: usize, other: f64| other > *x || (other == *x && j < i);
            let same: Vec<(usize, f64)> =
                spots.iter().enumerate().filter(|(_, s)| s.0 == *side).map(|(j, s)| (j, s.1)).collect();
            let rank = same.iter().filter(|(j, other)| ahead(*j, *other)).count();
            format!("{}_{}", side.name(), place_name(rank, same.len()))
        })
        .collect()
}

fn place_name(rank: usize, of: usize) -> String {
    let names: &[&str] = match of {
        1 => &["middle"],
        2 => &["front", "rear"],
        3 => &["front", "middle", "rear"],
        4 => &["front", "middle_front", "middle_rear", "rear"],
        _ => &[],
    };
    names.get(rank).map_or_else(|| format!("{}", rank + 1), |name| (*name).to_owned())
}
