//! hexapod_plot
