//! What came of the walks of a sweep: a table with a line for each, and what several have in common.

use super::tally::RESULTS;
use crate::exit::Failure;
use crate::out::{self, NamedFile};
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io::Write as _;
use std::path::{Path, PathBuf};

/// Those whose mean and spread are reported.
const REPORTED: [&str; 5] = ["way", "slip", "lean", "work", "falls"];
/// The last columns: how many walks the sweep has, and by what it is known among others.
const SWEEP: [&str; 2] = ["walks", "sweep"];
/// Missing walks that are named.
const MOST_NAMED: usize = 10;

/// The lines of a sweep's walks, or of some of them.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Results {
    header: String,
    /// What each line ends with.
    sweep: String,
    count: usize,
    lines: BTreeMap<usize, String>,
}

impl Results {
    /// Of a sweep of these parameters and so many walks, none of which has been walked.
    pub(super) fn of_sweep<'a>(names: impl Iterator<Item = &'a str>, count: usize, digest: u64) -> Self {
        let names: String = names.map(|name| format!("{name},")).collect();
        let header = format!("walk,{names}seed,{},{}", RESULTS.join(","), SWEEP.join(","));
        Self { header, sweep: format!("{count},{digest:016x}"), count, lines: BTreeMap::new() }
    }

    /// Adds a walk; a figure that is not known is left out.
    pub(super) fn add(&mut self, walk: usize, values: &[&str], seed: u64, figures: &[f64; RESULTS.len()]) {
        // Without the commas of lists.
        let values: String = values.iter().map(|value| format!("{},", value.replace(',', " "))).collect();
        let figure = |figure: &f64| if figure.is_nan() { String::new() } else { format!("{figure:.6}") };
        let figures = figures.iter().map(figure).collect::<Vec<_>>().join(",");
        self.lines.insert(walk, format!("{walk},{values}{seed},{figures},{}", self.sweep));
    }

    /// The lines of these files together.
    fn read(files: &[PathBuf]) -> Result<Self, Failure> {
        let mut all = Self::default();
        for file in files {
            let name = file.display();
            let text = std::fs::read_to_string(file).map_err(|error| Failure::Words(format!("{name}: {error}")))?;
            let mut rows = text.lines().enumerate();
            let header = rows.next().map(|(_, header)| header).unwrap_or_default();
            if !header.starts_with("walk,") || !header.ends_with(&SWEEP.join(",")) {
                return Err(Failure::Words(format!("{name}:1: this is no table of a sweep; give those of its shards")));
            }
            for (at, row) in rows {
                all.take(header, row).map_err(|why| Failure::Words(format!("{name}:{}: {why}", at + 1)))?;
            }
        }
        if all.lines.is_empty() {
            return Err(Failure::Words("--merge: no walk is in these tables".into()));
        }
        Ok(all)
    }

    fn take(&mut self, header: &str, row: &str) -> Result<(), String> {
        let cells: Vec<&str> = row.split(',').collect();
        let [walk, .., count, digest] = &*cells else { return Err("the line is cut off".into()) };
        let is_whole = cells.len() == header.split(',').count() && digest.len() == 16;
        let numbers = walk.parse::<usize>().ok().zip(count.parse::<usize>().ok()).filter(|_| is_whole);
        let (walk, count) = numbers.ok_or("the line is cut off, or not of a sweep")?;
        let sweep = format!("{count},{digest}");
        if self.lines.is_empty() {
            (self.header, self.sweep, self.count) = (header.into(), sweep, count);
        } else if self.header != header || self.sweep != sweep {
            return Err(
                "this walk is of another sweep: its robot, files, commands, ground, values or seeds differ".into()
            );
        }
        match self.lines.insert(walk, row.into()) {
            Some(known) if known != row => Err(format!("walk {walk} is there twice, with other figures")),
            _ => Ok(()),
        }
    }

    /// Writes the table, and says what the walks have in common.
    pub(super) fn finish(&self, out: &Path) -> Result<(), Failure> {
        let text = self.lines.values().fold(format!("{}\n", self.header), |text, line| text + line + "\n");
        let reported = self.summary();
        if out.as_os_str() == "-" {
            write!(std::io::stdout(), "{text}")?;
            write!(std::io::stderr(), "{reported}")?;
            return Ok(());
        }
        let mut file = NamedFile::new(out);
        file.write_all(text.as_bytes())?;
        file.flush()?;
        writeln!(std::io::stdout(), "{reported}table    {}", out.display())?;
        Ok(())
    }

    /// The walks that are not there, in words.
    fn missing(&self) -> Option<String> {
        let missing: Vec<usize> = (0..self.count).filter(|walk| !self.lines.contains_key(walk)).collect();
        let named: Vec<String> = missing.iter().take(MOST_NAMED).map(usize::to_string).collect();
        let more = if missing.len() > MOST_NAMED { ", ..." } else { "" };
        let (lacking, count, named) = (missing.len(), self.count, named.join(", "));
        (lacking > 0).then(|| format!("{lacking} of {count} walks are missing: {named}{more}; walk their shards again"))
    }

    /// Mean and standard deviation over the seeds, for each set of values.
    fn summary(&self) -> String {
        let names: Vec<&str> = self.header.split(',').collect();
        let seed = names.iter().position(|name| *name == "seed").unwrap_or_default();
        let mut groups: Vec<(String, Vec<Vec<&str>>)> = Vec::new();
        for line in self.lines.values() {
            let cells: Vec<&str> = line.split(',').collect();
            let values = names.iter().zip(&cells).take(seed).skip(1);
            let of: String = values.map(|(name, value)| format!("{name}={value} ")).collect();
            match groups.last_mut().filter(|(known, _)| *known == of) {
                Some((_, rows)) => rows.push(cells),
                None => groups.push((of, vec![cells])),
            }
        }
        let mut reported = String::new();
        for (of, rows) in groups {
            let _ = write!(reported, "{of}walks={}", rows.len());
            for name in REPORTED {
                let Some(place) = names.iter().position(|known| *known == name) else { continue };
                let values: Vec<f64> = rows.iter().filter_map(|row| row.get(place)?.parse().ok()).collect();
                let _ = write!(reported, "  {name} {}", mean_and_spread(&values));
            }
            reported.push('\n');
        }
        reported
    }
}

/// Writes the results of several parts as one, in the order of the walks.
pub(super) fn merge(files: &[PathBuf], out: &Path) -> Result<(), Failure> {
    let all = Results::read(files)?;
    out::check_beside(out, files.iter().map(PathBuf::as_path))?;
    all.finish(out)?;
    all.missing().map_or(Ok(()), |missing| Err(Failure::Running(missing)))
}

/// The mean; with the standard deviation where there are several.
fn mean_and_spread(values: &[f64]) -> String {
    let count = values.len() as f64;
    let mean = values.iter().sum::<f64>() / count;
    let squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
    match values.len() {
        0 => "unknown".into(),
        1 => format!("{mean:.3}"),
        _ => format!("{mean:.3} ± {:.3}", (squares / (count - 1.0)).sqrt()),
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::panic, reason = "a test says why it fails by failing")]
mod tests {
    use super::*;

    const LOW: &str = "[0,5,0]";

    fn table(walks: &[usize], count: usize, digest: u64) -> Results {
        let mut results = Results::of_sweep(["simulator.push_force"].into_iter(), count, digest);
        for walk in walks {
            let way = 0.5 + *walk as f64;
            results.add(*walk, &[LOW], 1 + *walk as u64, &[way, 1.0, 1.0, 0.1, 0.1, 2.0, f64::NAN, 0.0]);
        }
        results
    }

    /// Writes these tables and merges them: what came of it, and what was written.
    fn merged(name: &str, tables: &[String]) -> (Result<(), String>, String) {
        let folder = std::env::temp_dir().join(format!("hexapod_merge_{name}_{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let files: Vec<PathBuf> = (0..tables.len()).map(|index| folder.join(format!("{index}.csv"))).collect();
        files.iter().zip(tables).for_each(|(file, table)| std::fs::write(file, table).unwrap());
        let out = folder.join("all.csv");
        let ended = merge(&files, &out).map_err(|failure| match failure {
            Failure::Words(words) | Failure::Running(words) => words,
            other => panic!("{other:?}"),
        });
        let written = std::fs::read_to_string(&out).unwrap_or_default();
        std::fs::remove_dir_all(folder).unwrap();
        (ended, written)
    }

    fn text(results: &Results) -> String {
        results.lines.values().fold(format!("{}\n", results.header), |text, line| text + line + "\n")
    }

    #[test]
    fn when_shards_are_merged_expect_all_walks_in_order_and_those_that_are_missing_named() {
        let (even, odd) = (text(&table(&[0, 2], 4, 7)), text(&table(&[1, 3], 4, 7)));
        let (ended, written) = merged("all", &[odd.clone(), even.clone()]);
        assert_eq!((ended, written), (Ok(()), text(&table(&[0, 1, 2, 3], 4, 7))));
        let (ended, written) = merged("missing", &[odd, text(&table(&[0], 4, 7))]);
        assert!(ended.unwrap_err().contains("1 of 4 walks are missing: 2;"));
        assert_eq!(written.lines().count(), 4, "{written}");
        let (ended, _) = merged("many", &[text(&table(&[0], 40, 7))]);
        assert!(ended.unwrap_err().contains("39 of 40 walks are missing: 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, ...;"));
    }

    #[test]
    fn when_tables_are_cut_off_or_of_other_sweeps_expect_them_refused_with_the_line() {
        let whole = text(&table(&[0, 1], 4, 7));
        let cut = &whole[..whole.len() - 5];
        let twice = text(&table(&[0], 4, 7)).replace("0.500000", "0.600000");
        for (name, tables, word) in [
            ("cut", vec![cut.to_owned()], "0.csv:3: the line is cut off"),
            ("short", vec![whole.replace(",0000000000000007", "")], "0.csv:2: the line is cut off"),
            ("other", vec![whole.clone(), text(&table(&[2, 3], 4, 8))], "1.csv:2: this walk is of another sweep"),
            ("longer", vec![whole.clone(), text(&table(&[2], 6, 7))], "of another sweep"),
            ("twice", vec![whole.clone(), twice], "walk 0 is there twice"),
            ("empty", vec![String::new()], "no table of a sweep"),
            ("none", vec![text(&table(&[], 4, 7))], "no walk is in these tables"),
        ] {
            let (ended, written) = merged(name, &tables);
            let words = ended.unwrap_err();
            assert!(words.contains(word) && written.is_empty(), "{name}: {words}");
        }
    }

    #[test]
    fn when_walks_have_figures_expect_their_mean_and_a_spread_only_of_several() {
        let mut results = table(&[0, 1], 2, 7);
        assert!(results.summary().contains("push_force=[0 5 0] walks=2  way 1.000 ± 0.707"), "{}", results.summary());
        results.lines.pop_first();
        assert!(results.summary().contains("way 1.500  slip"), "{}", results.summary());
        assert_eq!(mean_and_spread(&[]), "unknown");
    }
}
