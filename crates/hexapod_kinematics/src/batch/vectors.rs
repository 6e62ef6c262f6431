//! The vectors of the processor, as wide as they are, chosen once at run time: what ships is built for any x86-64, with
//! two numbers a vector, and most PCs have four. The arithmetic is the same in either, number by number, so the bits are,
//! too.

/// What is wider than the vectors that the build counts on.
#[cfg(target_arch = "x86_64")]
type Wide = fearless_simd::x86::Avx2;

/// Nothing is.
#[cfg(not(target_arch = "x86_64"))]
type Wide = std::convert::Infallible;

/// The vectors of a processor.
#[derive(Clone, Copy, Debug)]
pub struct Vectors(Option<Wide>);

impl Vectors {
    /// Those of the processor that this runs on.
    #[cfg(target_arch = "x86_64")]
    pub fn of_this_processor() -> Self {
        Self(fearless_simd::Level::new().as_avx2())
    }

    /// Those of the processor that this runs on.
    #[cfg(not(target_arch = "x86_64"))]
    pub fn of_this_processor() -> Self {
        Self(None)
    }

    /// Those that every processor has for which this is built.
    pub fn of_the_build() -> Self {
        Self(None)
    }

    /// Whether they are wider than those of the build.
    #[inline(always)]
    pub(super) fn are_wide(self) -> bool {
        self.0.is_some()
    }

    /// Runs a kernel with them: a closure that is always inlined, as all that it calls, so that it is compiled for them.
    #[inline(always)]
    pub fn run<R>(self, kernel: impl FnOnce() -> R) -> R {
        match self.0 {
            Some(wide) => run_wide(wide, kernel),
            None => kernel(),
        }
    }
}

#[cfg(target_arch = "x86_64")]
#[inline(always)]
fn run_wide<R>(wide: Wide, kernel: impl FnOnce() -> R) -> R {
    fearless_simd::Simd::vectorize(wide, kernel)
}

#[cfg(not(target_arch = "x86_64"))]
fn run_wide<R>(wide: Wide, _: impl FnOnce() -> R) -> R {
    match wide {}
}

/// A kernel over the first lanes of a batch, their number known to the compiler so that it makes vectors of them.
macro_rules! over_lanes {
    ($batch:expr, $lanes:ident => $kernel:expr) => {
        match ($batch.legs, $batch.vectors.are_wide()) {
            (0..=4, _) => {
                const $lanes: usize = 4;
                $batch.vectors.run(
                    #[inline(always)]
                    || $kernel,
                )
            }
            (5..=6, false) => {
                const $lanes: usize = 6;
                $kernel
            }
            // Six are two wide vectors, too.
            _ => {
                const $lanes: usize = $crate::legs::MAX_LEGS;
                $batch.vectors.run(
                    #[inline(always)]
                    || $kernel,
                )
            }
        }
    };
}

pub(super) use over_lanes;
