//! Walks of one list with each of some values and seeds, on all cores, and what came of them with its spread.

use super::tally::RESULTS;
use super::walk::{run, setups};
use crate::cli::SimArgs;
use crate::commands::List;
use crate::exit::Failure;
use crate::out::{self, NamedFile};
use crate::spinner::Spinner;
use hexapod_ros::Shutdown;
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io::Write as _;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Those whose mean and spread are told.
const TOLD: [&str; 5] = ["way", "slip", "lean", "work", "falls"];

/// One parameter and its values.
struct Swept {
    name: String,
    values: Vec<String>,
}

/// All walks of a sweep, of which each part of a computation takes some.
struct Plan {
    swept: Vec<Swept>,
    seeds: u64,
}

impl Plan {
    fn of(arguments: &SimArgs) -> Result<Self, Failure> {
        let read = |text: &String| {
            let parts = text.split_once('=').map(|(name, values)| (name.trim_end_matches(':').trim(), values));
            let (name, values) =
                parts.filter(|(name, values)| !name.is_empty() && !values.trim().is_empty()).ok_or_else(|| {
                    Failure::Words(format!(
                        "--sweep {text}: give a parameter and its values, as in gait_planner.step_height=0.02,0.03"
                    ))
                })?;
            Ok::<_, Failure>(Swept { name: name.into(), values: values.split(',').map(|v| v.trim().into()).collect() })
        };
        let swept = arguments.sweep.iter().map(read).collect::<Result<Vec<_>, _>>()?;
        Ok(Self { swept, seeds: arguments.seeds.max(1) })
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

    fn header(&self) -> String {
        let names = self.swept.iter().map(|swept| format!("{},", swept.name)).collect::<String>();
        format!("walk,{names}seed,{}", RESULTS.join(","))
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

/// Walks them, writes a line for each and tells what came of it.
pub(super) fn sweep(arguments: &SimArgs, list: &List, shutdown: &Shutdown) -> Result<(), Failure> {
    let (plan, (part, of)) = (Plan::of(arguments)?, shard(arguments.shard.as_deref())?);
    let mine: Vec<usize> = (part..plan.count()).step_by(of).collect();
    // What does not hold is told before hours of walks.
    for index in (0..plan.count()).step_by(plan.seeds as usize) {
        setups(&with(arguments, &plan, index))?;
    }
    let (next, lines) = (AtomicUsize::new(0), Mutex::new(BTreeMap::new()));
    let waiting = Spinner::on_terminal("walking in physics");
    let work = || -> Result<(), Failure> {
        while let Some(&index) = mine.get(next.fetch_add(1, Ordering::Relaxed)).filter(|_| shutdown.is_running()) {
            let line = line(arguments, (&plan, index), list, shutdown)?;
            lines.lock().map_err(|_| Failure::Running("a walk panicked".into()))?.insert(index, line);
        }
        Ok(())
    };
    std::thread::scope(|scope| {
        let threads: Vec<_> =
            (0..std::thread::available_parallelism().map_or(1, usize::from)).map(|_| scope.spawn(work)).collect();
        let ends =
            threads.into_iter().map(|thread| thread.join().map_err(|_| Failure::Running("a walk panicked".into()))?);
        ends.collect::<Result<Vec<()>, Failure>>()
    })?;
    drop(waiting);
    let lines = lines.into_inner().map_err(|_| Failure::Running("a walk panicked".into()))?;
    finish(&plan.header(), lines.into_values().collect(), arguments)
}

/// The arguments of one walk.
fn with(arguments: &SimArgs, plan: &Plan, index: usize) -> SimArgs {
    let (values, seed) = plan.walk(index);
    let set = plan.swept.iter().zip(values).map(|(swept, value)| format!("{}:={value}", swept.name));
    let seed = (plan.seeds > 1).then(|| format!("simulator.seed:={seed}"));
    let params = arguments.params.iter().cloned().chain(set).chain(seed).collect();
    SimArgs { params, ..arguments.clone() }
}

/// One walk, and its line; one that does not come to stand has fallen, and has no figures.
fn line(
    arguments: &SimArgs,
    (plan, index): (&Plan, usize),
    list: &List,
    shutdown: &Shutdown,
) -> Result<String, Failure> {
    let (values, seed) = plan.walk(index);
    let values = values.iter().map(|value| format!("{value},")).collect::<String>();
    let figures = match run(&with(arguments, plan, index), list, shutdown, std::io::sink()) {
        Ok(walked) => walked.tally.results().map(|figure| format!("{figure:.6}")).join(","),
        Err(Failure::Running(_)) => ",,,,,,,1".into(),
        Err(other) => return Err(other),
    };
    Ok(format!("{index},{values}{seed},{figures}"))
}

/// Writes the results of several parts as one, in the order of the walks.
pub(super) fn merge(arguments: &SimArgs) -> Result<(), Failure> {
    let (mut header, mut lines) = (String::new(), BTreeMap::new());
    for path in &arguments.merge {
        let name = path.display();
        let text = std::fs::read_to_string(path).map_err(|error| Failure::Words(format!("{name}: {error}")))?;
        let mut rows = text.lines();
        let first = rows.next().unwrap_or_default();
        if !first.starts_with("walk,") || !(header.is_empty() || header == first) {
            return Err(Failure::Words(format!(
                "{name}:1: these are no results of the same sweep; give those of its shards"
            )));
        }
        first.clone_into(&mut header);
        for (at, row) in rows.enumerate() {
            let walk = row.split(',').next().and_then(|walk| walk.parse::<usize>().ok());
            let walk = walk.ok_or_else(|| Failure::Words(format!("{name}:{}: the line has no walk", at + 2)))?;
            if lines.insert(walk, row.to_owned()).is_some_and(|known| known != row) {
                return Err(Failure::Words(format!(
                    "{name}:{}: walk {walk} is there twice, with other figures",
                    at + 2
                )));
            }
        }
    }
    out::check_beside(&arguments.out, arguments.merge.iter().map(std::path::PathBuf::as_path))?;
    finish(&header, lines.into_values().collect(), arguments)
}

/// Writes the lines, and tells means and spreads.
fn finish(header: &str, lines: Vec<String>, arguments: &SimArgs) -> Result<(), Failure> {
    let text = lines.iter().fold(format!("{header}\n"), |text, line| text + line + "\n");
    let reported = summary(header, &lines);
    if arguments.out.as_os_str() == "-" {
        write!(std::io::stdout(), "{text}")?;
        write!(std::io::stderr(), "{reported}")?;
        return Ok(());
    }
    let mut file = NamedFile::new(&arguments.out);
    file.write_all(text.as_bytes())?;
    file.flush()?;
    writeln!(std::io::stdout(), "{reported}table    {}", arguments.out.display())?;
    Ok(())
}

/// Mean and standard deviation over the seeds, for each set of values.
fn summary(header: &str, lines: &[String]) -> String {
    let names: Vec<&str> = header.split(',').collect();
    let seed = names.iter().position(|name| *name == "seed").unwrap_or_default();
    let mut groups: Vec<(String, Vec<Vec<&str>>)> = Vec::new();
    for line in lines {
        let cells: Vec<&str> = line.split(',').collect();
        let of = names.iter().zip(&cells).take(seed).skip(1).map(|(name, value)| format!("{name}={value} ")).collect();
        match groups.last_mut().filter(|(known, _)| *known == of) {
            Some((_, rows)) => rows.push(cells),
            None => groups.push((of, vec![cells])),
        }
    }
    let mut reported = String::new();
    for (of, rows) in groups {
        let _ = write!(reported, "{of}walks={}", rows.len());
        for name in TOLD {
            let Some(place) = names.iter().position(|known| *known == name) else { continue };
            let values: Vec<f64> = rows.iter().filter_map(|row| row.get(place)?.parse().ok()).collect();
            let (mean, spread) = mean_and_spread(&values);
            let _ = write!(reported, "  {name} {mean:.3} ± {spread:.3}");
        }
        reported.push('\n');
    }
    reported
}

fn mean_and_spread(values: &[f64]) -> (f64, f64) {
    let count = values.len() as f64;
    let mean = values.iter().sum::<f64>() / count;
    let squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
    (mean, if values.len() > 1 { (squares / (count - 1.0)).sqrt() } else { 0.0 })
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test says why it fails by failing")]
mod tests {
    use super::*;
    use crate::cli::FileArgs;
    use crate::commands;
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
        let header = "walk,gait_planner.step_height,seed,way,planned,commanded,slip,lean,work,energy,falls";
        assert!(whole.starts_with(header) && whole.contains("\n2,0.03,1,0."), "{whole}");
        let merge_of = ["a.csv", "b.csv"].map(|name| folder.join(name)).to_vec();
        let parts = [walked("a.csv", Some("1/2")), walked("b.csv", Some("2/2"))];
        assert!(parts.iter().all(|part| part.lines().count() == 3), "{parts:?}");
        let merged = SimArgs { merge: merge_of, ..arguments(folder.join("merged.csv")) };
        assert!(merge(&merged).is_ok());
        assert_eq!(std::fs::read_to_string(folder.join("merged.csv")).unwrap(), whole);
        let lines: Vec<String> = whole.lines().skip(1).map(str::to_owned).collect();
        let reported = summary(header, &lines);
        assert!(
            reported.contains("gait_planner.step_height=0.02 walks=2  way 0.") && reported.lines().count() == 2,
            "{reported}"
        );
        let falls = ["a,1,0.5", "a,2,1.5"].map(str::to_owned);
        assert!(summary("walk,seed,falls", &falls).contains("falls 1.000 ± 0.707"));
        std::fs::remove_dir_all(folder).unwrap();
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
