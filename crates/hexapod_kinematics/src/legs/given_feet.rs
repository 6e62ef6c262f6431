//! Feet that the configuration gives by the name of a leg.

use super::find::LegChain;
use super::foot::{self, Foot};
use super::options::LegOptions;
use crate::error::{ModelError, ModelFault, Place};
use crate::model::{Link, Model};

/// Puts the feet of `options` into the legs of those names; a name that is neither a leg's nor a link's at the end of
/// one is refused.
pub(super) fn put_in(
    model: &Model,
    chains: &mut [LegChain],
    names: &[String],
    options: &LegOptions,
) -> Result<(), ModelError> {
    for (leg, link) in &options.foot_links {
        let chain = chain_of(chains, names, leg).ok_or_else(|| unknown(leg, names))?;
        let rigid = foot::fixed_to(model, chain.foot.link);
        let found = model.link_index(link).filter(|index| rigid.contains(index));
        let index = found.ok_or_else(|| {
            let known: Vec<&str> = rigid.iter().filter_map(|&i| model.links().get(i)).map(Link::name).collect();
            let what = format!("cannot be link \"{link}\", which is not behind the leg's last joint");
            refuse(leg, what, format!("name one of {}", known.join(", ")))
        })?;
        chain.foot = Foot::link(index, format!("link \"{link}\", named in robot.yaml"));
    }
    for (name, point) in options.feet.iter().filter(|(name, _)| !name.is_empty()) {
        if let Some(chain) = chain_of(chains, names, name) {
            chain.foot = foot::given(model, chain.foot.link, point);
        } else if !chains.iter().any(|chain| is_of(model, chain, name)) {
            return Err(unknown(name, names));
        }
    }
    Ok(())
}

fn chain_of<'a>(chains: &'a mut [LegChain], names: &[String], leg: &str) -> Option<&'a mut LegChain> {
    chains.iter_mut().zip(names).find(|(_, name)| *name == leg).map(|(chain, _)| chain)
}

/// Whether a link of this name is at the end of the leg.
fn is_of(model: &Model, chain: &LegChain, name: &str) -> bool {
    let rigid = foot::fixed_to(model, chain.foot.link);
    model.link_index(name).is_some_and(|index| rigid.contains(&index))
}

fn unknown(name: &str, names: &[String]) -> ModelError {
    let hint = format!("name a leg ({}), a link at the end of one, or all", names.join(", "));
    refuse(name, "names neither a leg nor a link at the end of one".into(), hint)
}

fn refuse(name: &str, found: String, hint: String) -> ModelError {
    ModelError::new(ModelFault::Legs, Place::element(format!("foot \"{name}\""), None), found, hint)
}
