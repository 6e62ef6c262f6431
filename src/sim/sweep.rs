//! Walks of one list with each of some values and seeds, on all cores.

use super::results::Results;
use super::tally::RESULTS;
use super::walk::{run, setups};
use crate::cli::SimArgs;
use crate::commands::List;
use crate::exit::Failure;
use crate::parameters::files_of;
use crate::setups::parameters_of;
use crate::spinner::Spinner;
use hexapod_config::fnv1a;
use hexapod_ros::Shutdown;
use hexapod_setup::params::text;
use std::collections::BTreeSet;
use std::io::Write as _;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

/// The parameter that `--seeds` sets.
const SEED: [&str; 2] = ["simulator.seed", "seed"];

/// One parameter and its values.
struct Swept {
    name: String,
    values: Vec<String>,
}

impl Swept {
    /// Of `NAME=A,B,C`, where a value may be a list in brackets.
    fn of(text: &str) -> Result<Self, Failure> {
        let wrong =
            |why: &str| Failure::Words(format!("--sweep {text}: {why}, as in gait_planner.step_height=0.02,0.03"));
        let parts = text.split_once('=').map(|(name, values)| (name.trim_end_matches(':').trim(), values.trim()));
        let parts = parts.filter(|(name, values)| !name.is_empty() && !values.is_empty());
        let (name, values) = parts.ok_or_else(|| wrong("give a parameter and its values"))?;
        let mut depth = 0;
        let values = values.split(|letter| {
            depth += i32::from(letter == '[') - i32::from(letter == ']');
            letter == ',' && depth == 0
        });
        let values: Vec<String> = values.map(|value| value.trim().to_owned()).collect();
        if values.iter().collect::<BTreeSet<_>>().len() < values.len() {
            return Err(wrong("give each value once"));
        }
        Ok(Self { name: name.into(), values })
    }
}

/// Whether two names mean the same parameter: one without a node means that of every node.
fn is_same(one: &str, other: &str) -> bool {
    let own = |name: &str| name.rsplit('.').next().unwrap_or_default().to_owned();
    let is_of_all = [one, other].iter().any(|name| !name.contains('.'));
    one == other || is_of_all && own(one) == own(other)
}

/// All walks of a sweep, of which each part of a computation takes some.
struct Plan {
    swept: Vec<Swept>,
    seeds: u64,
}

impl Plan {
    fn of(arguments: &SimArgs) -> Result<Self, Failure> {
        let swept = arguments.sweep.iter().map(|text| Swept::of(text)).collect::<Result<Vec<_>, _>>()?;
        let plan = Self { swept, seeds: arguments.seeds.max(1) };
        plan.check(arguments)?;
        Ok(plan)
    }

    /// Refuses what would not count, or count as something else.
    fn check(&self, arguments: &SimArgs) -> Result<(), Failure> {
        let refused = |words: String| Err(Failure::Words(words));
        if !arguments.columns.is_empty() {
            return refused("--columns is for the table of one walk; a sweep has a line for each".into());
        }
        let set = |param: &String| param.split_once(":=").map(|(name, _)| name.trim().to_owned());
        let set: Vec<String> = arguments.params.iter().filter_map(set).collect();
        for (index, Swept { name, .. }) in self.swept.iter().enumerate() {
            if SEED.contains(&name.as_str()) {
                return refused(format!("--sweep {name}: give --seeds N, which walks with the seeds from 1 to N"));
            }
            if self.swept.iter().skip(index + 1).any(|other| is_same(&other.name, name)) {
                return refused(format!("--sweep {name} is there twice; give all of its values in one"));
            }
            if set.iter().any(|set| is_same(set, name)) {
                return refused(format!(
                    "--sweep {name}: it is set by another argument as well; leave one of the two out"
                ));
            }
        }
        if self.seeds > 1 && set.iter().any(|set| SEED.contains(&set.as_str())) {
            return refused("--seeds walks with the seeds from 1 on; leave out -p simulator.seed".into());
        }
        Ok(())
    }

    fn count(&self) -> usize {
        self.swept.iter().map(|swept| swept.values.len()).product::<usize>() * self.seeds as usize
    }

    /// The values and the seed of a walk: seeds change fastest.
    fn walk(&self, index: usize) -> (Vec<&str>, u64) {
        let (mut rest, seed) = (index / self.seeds as usize, 1 + index as u64 % self.seeds);
        let values = self.swept.iter().rev().map(|Swept { values, .. }| {
            let value = values[rest % values.len()].as_str();
            rest /= values.len();
            value
        });
        let mut values: Vec<&str> = values.collect();
        values.reverse();
        (values, seed)
    }

    /// The arguments of one walk.
    fn with(&self, arguments: &SimArgs, index: usize) -> SimArgs {
        let (values, seed) = self.walk(index);
        let set = self.swept.iter().zip(values).map(|(swept, value)| format!("{}:={value}", swept.name));
        let seed = (self.seeds > 1).then(|| format!("simulator.seed:={seed}"));
        let params = arguments.params.iter().cloned().chain(set).chain(seed).collect();
        SimArgs { params, ..arguments.clone() }
    }

    /// Checks every set of values, before hours of walks; what is to be known of each, and the seed of one walk each.
    fn rehearse(&self, arguments: &SimArgs) -> Result<(String, u64), Failure> {
        let (mut notes, mut seed) = (String::new(), 1);
        for index in (0..self.count()).step_by(self.seeds as usize) {
            let setups = setups(&self.with(arguments, index))?;
            let values = self.swept.iter().zip(self.walk(index).0);
            let of: String = values.map(|(swept, value)| format!("{}={value} ", swept.name)).collect();
            let (asked, starts) = (text(&setups.planner.params, "gait"), &setups.planner.gait_name);
            if self.swept.iter().any(|swept| is_same(&swept.name, "gait")) && asked != *starts {
                let why = setups.planner.notes.first().cloned().unwrap_or_default();
                return Err(Failure::Words(format!("{of}: the robot would walk on another gait: {why}")));
            }
            setups.planner.notes.iter().for_each(|note| notes += &format!("note     {of}{note}\n"));
            seed = setups.simulator.as_ref().map_or(1, |simulator| simulator.seed());
        }
        Ok((notes, seed))
    }
}

/// Which walks are this computer's: those of `--shard 2/4` are every fourth, from the second on.
fn shard(text: Option<&str>) -> Result<(usize, usize), Failure> {
    let Some(text) = text else { return Ok((0, 1)) };
    let numbers =
        text.split_once('/').and_then(|(part, of)| Some((part.parse::<usize>().ok()?, of.parse::<usize>().ok()?)));
    match numbers.filter(|(part, of)| (1..=*of).contains(part)) {
        Some((part, of)) => Ok((part - 1, of)),
        None => Err(Failure::Words(format!("--shard {text}: give which part of how many, as in 1/4"))),
    }
}

/// Walks them, writes a line for each and says what came of it.
pub(super) fn sweep(arguments: &SimArgs, list: &List, shutdown: &Shutdown) -> Result<(), Failure> {
    let (plan, (part, of)) = (Plan::of(arguments)?, shard(arguments.shard.as_deref())?);
    let (notes, only_seed) = plan.rehearse(arguments)?;
    // Nobody may be there to read it.
    let _ = std::io::stderr().write_all(notes.as_bytes());
    let mine: Vec<usize> = (part..plan.count()).step_by(of).collect();
    let names = plan.swept.iter().map(|swept| swept.name.as_str());
    let results = Mutex::new(Results::of_sweep(names, plan.count(), digest(arguments, list)?));
    let next = AtomicUsize::new(0);
    let waiting = Spinner::on_terminal("walking in physics");
    let panicked = || Failure::Running("a walk panicked".into());
    let work = || -> Result<(), Failure> {
        while let Some(&index) = mine.get(next.fetch_add(1, Ordering::Relaxed)).filter(|_| shutdown.is_running()) {
            let figures = figures(&plan.with(arguments, index), list, shutdown)?;
            let (values, seed) = plan.walk(index);
            let seed = if plan.seeds > 1 { seed } else { only_seed };
            // A walk that was broken off is none.
            if shutdown.is_running() {
                results.lock().map_err(|_| panicked())?.add(index, &values, seed, &figures);
            }
        }
        Ok(())
    };
    std::thread::scope(|scope| {
        let threads: Vec<_> =
            (0..std::thread::available_parallelism().map_or(1, usize::from)).map(|_| scope.spawn(work)).collect();
        let ends = threads.into_iter().map(|thread| thread.join().map_err(|_| panicked())?);
        ends.collect::<Result<Vec<()>, Failure>>()
    })?;
    drop(waiting);
    results.into_inner().map_err(|_| panicked())?.finish(&arguments.out)
}

/// What came of a walk; of one that does not come to stand, that it has fallen.
fn figures(arguments: &SimArgs, list: &List, shutdown: &Shutdown) -> Result<[f64; RESULTS.len()], Failure> {
    match run(arguments, list, shutdown, std::io::sink()) {
        Ok(walked) => Ok(walked.results()),
        Err(Failure::Running(_)) => Ok(RESULTS.map(|name| if name == "falls" { 1.0 } else { f64::NAN })),
        Err(other) => Err(other),
    }
}

/// What a sweep goes by: shards of it have the same, and another sweep has another.
fn digest(arguments: &SimArgs, list: &List) -> Result<u64, Failure> {
    let files = files_of(&parameters_of(&arguments.files)?.planner)?;
    let SimArgs { params, terrain, gait, start, see, sweep, seeds, .. } = arguments;
    let mut text = format!(
        "{} {params:?} {terrain} {gait:?} {start:?} {see} {sweep:?} {seeds} {list:?}",
        env!("CARGO_PKG_VERSION")
    );
    for file in files.owner_files().into_iter().chain([files.urdf]) {
        text += &std::fs::read_to_string(file).unwrap_or_default();
    }
    Ok(fnv1a(text.as_bytes()))
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::panic, reason = "a test says why it fails by failing")]
mod tests {
    use super::*;
    use crate::cli::FileArgs;
    use crate::commands;
    use crate::sim::results::merge;
    use std::path::PathBuf;

    fn arguments(out: PathBuf) -> SimArgs {
        let root = env!("CARGO_MANIFEST_DIR");
        let files = FileArgs { config: format!("{root}/config"), urdf: format!("{root}/urdf/hexapod.urdf") };
        let sweep = vec!["gait_planner.step_height=0.02,0.03".to_owned()];
        SimArgs { files, out, sweep, seeds: 2, terrain: "rubble".into(), ..SimArgs::default() }
    }

    #[test]
    fn when_a_sweep_is_walked_in_shards_and_merged_expect_what_one_computer_has_and_its_spread() {
        let folder = std::env::temp_dir().join(format!("hexapod_sweep_{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let list = commands::parse("0,0.06,0,0\n3,0,0,0\n").unwrap();
        let walked = |name: &str, shard: Option<&str>| {
            let arguments = SimArgs { shard: shard.map(str::to_owned), ..arguments(folder.join(name)) };
            assert!(sweep(&arguments, &list, &Shutdown::default()).is_ok(), "{name}");
            std::fs::read_to_string(folder.join(name)).unwrap()
        };
        let whole = walked("whole.csv", None);
        assert_eq!(whole.lines().count(), 5, "{whole}");
        let header = "walk,gait_planner.step_height,seed,way,planned,commanded,slip,lean,work,energy,falls,walks,sweep";
        assert!(whole.starts_with(header) && whole.contains("\n2,0.03,1,0."), "{whole}");
        let merge_of = ["a.csv", "b.csv"].map(|name| folder.join(name)).to_vec();
        let parts = [walked("a.csv", Some("1/2")), walked("b.csv", Some("2/2"))];
        assert!(parts.iter().all(|part| part.lines().count() == 3), "{parts:?}");
        let merged = folder.join("merged.csv");
        assert!(merge(&merge_of, &merged).is_ok());
        assert_eq!(std::fs::read_to_string(&merged).unwrap(), whole);
        // Perfect servos take no energy that is known.
        assert!(whole.lines().nth(1).unwrap().split(',').nth(9) == Some(""), "{whole}");
        std::fs::remove_dir_all(folder).unwrap();
    }

    #[test]
    fn when_a_sweep_is_broken_off_expect_no_line_of_a_walk_that_did_not_end() {
        let (out, shutdown) =
            (std::env::temp_dir().join(format!("hexapod_broken_off_{}.csv", std::process::id())), Shutdown::default());
        let (list, ended) = (commands::parse("0,0.06,0,0\n600,0,0,0\n").unwrap(), shutdown.clone());
        let ender = std::thread::spawn(move || {
            std::thread::sleep(std::time::Duration::from_millis(500));
            ended.ask();
        });
        assert!(sweep(&arguments(out.clone()), &list, &shutdown).is_ok());
        ender.join().unwrap();
        assert_eq!(std::fs::read_to_string(&out).unwrap().lines().count(), 1);
        std::fs::remove_file(out).unwrap();
    }

    #[test]
    fn when_arguments_of_a_sweep_would_not_count_or_mean_something_else_expect_them_refused() {
        let sweep = |sweep: &[&str]| SimArgs {
            sweep: sweep.iter().map(|&text| text.into()).collect(),
            seeds: 2,
            ..SimArgs::default()
        };
        let with = |param: &str, swept: &[&str]| SimArgs { params: vec![param.into()], ..sweep(swept) };
        for (bad, word) in [
            (sweep(&["simulator.seed=5,6"]), "give --seeds N"),
            (sweep(&["step_height=0.02", "gait_planner.step_height=0.03"]), "there twice"),
            (sweep(&["step_height=0.02,0.02"]), "each value once"),
            (with("step_height:=0.05", &["gait_planner.step_height=0.02"]), "another argument"),
            (with("simulator.seed:=7", &["step_height=0.02"]), "leave out -p simulator.seed"),
            (SimArgs { columns: vec![crate::cli::Column::Joints], ..sweep(&["step_height=0.02"]) }, "one walk"),
        ] {
            let Some(Failure::Words(words)) = Plan::of(&bad).err() else { panic!("{word}") };
            assert!(words.contains(word), "{words}");
        }
        assert!(Plan::of(&sweep(&["gait_planner.rate=50", "servo_driver.rate=50"])).is_ok(), "of two nodes");
        let lists = Plan::of(&sweep(&["simulator.push_force=[0,5,0],[0,50,0]"])).ok().unwrap();
        assert_eq!(lists.swept[0].values, ["[0,5,0]", "[0,50,0]"]);
        let root = env!("CARGO_MANIFEST_DIR");
        let files = FileArgs { config: format!("{root}/config"), urdf: format!("{root}/urdf/hexapod.urdf") };
        let option = SimArgs { files: files.clone(), gait: Some("wave".into()), ..sweep(&["gait=tripod,wave"]) };
        let Err(Failure::Input(error)) = Plan::of(&option).ok().unwrap().rehearse(&option) else {
            panic!("given twice")
        };
        assert!(error.message().contains("--gait wave is given as well"), "{error}");
        let other = SimArgs { files, ..sweep(&["gait_planner.gait=tripod,crawl"]) };
        let Err(Failure::Words(words)) = Plan::of(&other).ok().unwrap().rehearse(&other) else {
            panic!("crawl is for four legs")
        };
        assert!(words.contains("gait_planner.gait=crawl") && words.contains("another gait"), "{words}");
    }

    #[test]
    fn when_a_sweep_or_a_shard_is_none_expect_what_would_be_right() {
        let words = |failure: Failure| if let Failure::Words(words) = failure { words } else { String::new() };
        for bad in ["0/2", "3/2", "half"] {
            assert!(words(shard(Some(bad)).unwrap_err()).contains("as in 1/4"), "{bad}");
        }
        let sweep = vec!["step_height".to_owned()];
        let refused = Plan::of(&SimArgs { sweep, ..SimArgs::default() }).err().map(words).unwrap();
        assert!(refused.contains("gait_planner.step_height=0.02,0.03"), "{refused}");
    }
}
