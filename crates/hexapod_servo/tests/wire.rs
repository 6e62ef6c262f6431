//! Bytes on the wire. Constants are declared again here, from the datasheet, so that a slip in the crate shows.
#![allow(clippy::expect_used, clippy::panic, reason = "a test may stop where it stands")]

use crate::common::{JOINTS, Rig, config, ms, raw_config};
use hexapod_servo::simulated::{Outcome, Transfer};
use hexapod_servo::{ServoConfig, State};

const BOARD_A: u8 = 0x40;
const BOARD_B: u8 = 0x41;
const ALL_CALL: u8 = 0x70;
const MODE1: u8 = 0x00;
const MODE2: u8 = 0x01;
const ALLCALLADR: u8 = 0x05;
const LED0_ON_L: u8 = 0x06;
const LED0_OFF_L: u8 = 0x08;
const LED3_OFF_L: u8 = 0x14;
const LED6_OFF_L: u8 = 0x20;
const ALL_LED_OFF_H: u8 = 0xFD;
const PRE_SCALE: u8 = 0xFE;
const FULL_OFF: u8 = 0x10;
/// 1500 us at 50 Hz with 25 MHz and prescaler 121: 25 / 122 counts per us, 307.4 counts.
const CENTRE: u16 = 307;

fn write(address: u8, bytes: &[u8]) -> Transfer {
    Transfer { address, written: bytes.to_vec(), read: Vec::new(), outcome: Outcome::Done }
}

fn read(address: u8, register: u8, value: u8) -> Transfer {
    Transfer { address, written: vec![register], read: vec![value], outcome: Outcome::Done }
}

/// The writes to LED registers in a transcript; read-backs are left out.
fn led_writes(transcript: Vec<Transfer>) -> Vec<Transfer> {
    transcript.into_iter().filter(|transfer| transfer.read.is_empty()).collect()
}

fn bytes(transfers: &[Transfer]) -> usize {
    transfers.iter().map(|transfer| 1 + transfer.written.len()).sum()
}

#[test]
fn when_first_tick_expect_each_board_off_and_nothing_else() {
    let mut rig = Rig::new(config());
    rig.bus.record();
    rig.tick();
    let off = [ALL_LED_OFF_H, FULL_OFF];
    assert_eq!(rig.bus.take_transcript(), [write(BOARD_A, &off), write(BOARD_B, &off)]);
    rig.tick();
    assert_eq!(rig.bus.take_transcript(), []);
}

#[test]
fn when_enabled_expect_start_sequence_of_the_datasheet() {
    let mut rig = Rig::new(config());
    rig.tick();
    rig.bus.record();
    rig.send(|_| 0.0);
    assert!(rig.driver.enable(rig.now).passed());
    let transcript = rig.bus.take_transcript();
    // 900..=2100 us is 185..=430 counts, middle 307; ON puts it at OFF count 127 of a page: 127 - 307 modulo 256.
    let on = 76;
    let mut led = vec![LED0_ON_L];
    for channel in 0..16 {
        led.extend([if channel < 9 { on } else { 0 }, 0, 0, FULL_OFF]);
    }
    let sequence = |address| {
        [
            write(address, &[ALL_LED_OFF_H, FULL_OFF]),
            write(address, &[MODE1, 0x31]),
            write(address, &[ALLCALLADR, 0xE0]),
            write(address, &[MODE2, 0x04]),
            write(address, &[PRE_SCALE, 121]),
            write(address, &led),
            read(address, PRE_SCALE, 121),
            write(address, &[MODE1, 0x21]),
        ]
    };
    assert_eq!(transcript, [sequence(BOARD_A), sequence(BOARD_B)].concat());
    assert!(rig.all_low());
}

#[test]
fn when_all_joints_move_expect_72_bytes_in_two_transactions() {
    let mut rig = Rig::armed();
    rig.bus.record();
    let before = rig.bus.tally();
    let counted = rig.driver.counters().wire;
    rig.step(|_| 0.03);
    let writes = led_writes(rig.bus.take_transcript());
    assert_eq!(writes.len(), 2);
    assert_eq!(bytes(&writes), 72);
    // 0.03 rad is 19.1 us is 3.9 counts: 311.3. ON is 76.
    let off = 311 + 76;
    for (transfer, address) in writes.iter().zip([BOARD_A, BOARD_B]) {
        let mut expected = vec![LED0_OFF_L, off as u8, (off >> 8) as u8];
        for _ in 1..9 {
            expected.extend([76, 0, off as u8, (off >> 8) as u8]);
        }
        assert_eq!(*transfer, write(address, &expected));
    }
    let after = rig.bus.tally();
    let reads = after.transactions - before.transactions - 2;
    assert_eq!(after.bytes - before.bytes, 72 + 4 * reads);
    assert_eq!(rig.driver.counters().wire.bytes - counted.bytes, 72 + 4 * reads);
    assert_eq!(rig.driver.counters().wire.transactions - counted.transactions, 2 + reads);
}

#[test]
fn when_18_channels_go_out_at_400_khz_expect_1640_us() {
    let mut rig = Rig::armed();
    // Just after a read-back of both boards, so that the tick holds none.
    while rig.bus.tally().transactions > 0 {
        let before = rig.bus.tally();
        let sign = if rig.driver.commanded(0).expect("on") > 0.0 { -0.03 } else { 0.03 };
        rig.step(|_| sign);
        let after = rig.bus.tally();
        if after.transactions - before.transactions == 2 && after.bytes - before.bytes == 72 {
            let time = after.wire_time() - before.wire_time();
            assert!(time <= std::time::Duration::from_micros(1640), "{time:?}");
            return;
        }
        assert!(rig.now < ms(1_100_000), "no tick with a full update alone");
    }
}

#[test]
fn when_some_channels_change_expect_one_burst_per_run() {
    let mut rig = Rig::armed();
    rig.bus.record();
    let check = |rig: &mut Rig, moved: &[usize], value: f64, starts: &[(u8, u8)]| {
        rig.step(|joint| if moved.contains(&joint) { value } else { 0.0 });
        let writes = led_writes(rig.bus.take_transcript());
        let found: Vec<_> = writes.iter().map(|transfer| (transfer.address, transfer.written[0])).collect();
        assert_eq!(found, starts);
        assert_eq!(bytes(&writes), 4 * moved.len());
        rig.step(|_| 0.0);
        rig.bus.take_transcript();
    };
    check(&mut rig, &[], 0.03, &[]);
    check(&mut rig, &[0], 0.03, &[(BOARD_A, LED0_OFF_L)]);
    check(&mut rig, &[0, 1, 2], 0.03, &[(BOARD_A, LED0_OFF_L)]);
    check(&mut rig, &[0, 3, 6], 0.03, &[(BOARD_A, LED0_OFF_L), (BOARD_A, LED3_OFF_L), (BOARD_A, LED6_OFF_L)]);
    check(&mut rig, &[8, 9], 0.03, &[(BOARD_A, 0x28), (BOARD_B, LED0_OFF_L)]);
    // Less than half a count: nothing to say.
    check(&mut rig, &[], 0.0005, &[]);
}

#[test]
fn when_centred_expect_the_commanded_angle_read_back_from_counts() {
    let rig = Rig::armed();
    let exact = f64::from(CENTRE) / (25.0 / 122.0);
    for joint in 0..JOINTS {
        assert_eq!(rig.counts(joint), Some(CENTRE));
        let commanded = rig.driver.commanded(joint).expect("on");
        assert!((commanded - (exact - 1500.0) / crate::common::US_PER_RAD).abs() < 1e-9);
    }
}

#[test]
fn when_emergency_stop_expect_one_frame_at_once_then_each_board() {
    let mut rig = Rig::armed();
    rig.bus.record();
    rig.driver.emergency_stop().expect("boards answer");
    assert_eq!(rig.bus.take_transcript(), [write(ALL_CALL, &[ALL_LED_OFF_H, FULL_OFF])]);
    assert!(rig.all_low());
    rig.tick();
    let off = [ALL_LED_OFF_H, FULL_OFF];
    assert_eq!(rig.bus.take_transcript(), [write(BOARD_A, &off), write(BOARD_B, &off)]);
    assert_eq!(rig.step(|_| 0.1), State::EmergencyStop);
    assert_eq!(rig.bus.take_transcript(), []);
}

/// The angle of a pulse of so many counts.
fn angle(counts: f64) -> f64 {
    (counts * 122.0 / 25.0 - 1500.0) / crate::common::US_PER_RAD
}

/// 103..=512 counts, middle 307, ON 76: OFF pages change at 180 and 436 counts. 437 is OFF 513, 434 is OFF 510.
fn at_437_counts() -> Rig {
    let config = ServoConfig::try_from(raw_config(50.0, (500.0, 2500.0))).expect("valid");
    let range = config.servos()[0].range();
    assert_eq!((range.shortest(), range.longest(), range.on()), (103, 512, 76));
    let mut rig = Rig::armed_with(config);
    for _ in 0..200 {
        rig.step(|_| angle(437.0));
    }
    rig.bus.record();
    rig
}

#[test]
fn when_step_could_tear_out_of_limits_expect_four_bytes_off_and_four_bytes_on_a_command_later() {
    let mut rig = at_437_counts();
    let commanded = rig.driver.commanded(0);
    let target = |joint: usize| angle(if joint == 0 { 434.0 } else { 437.0 });
    rig.step(target);
    // OFF_L stays as it is, 513 modulo 256.
    assert_eq!(led_writes(rig.bus.take_transcript()), [write(BOARD_A, &[LED0_OFF_L, 1, FULL_OFF])]);
    assert_eq!((rig.counts(0), rig.driver.commanded(0)), (None, commanded), "a pulse left out is no new pose");
    rig.step(target);
    assert_eq!(led_writes(rig.bus.take_transcript()), [write(BOARD_A, &[LED0_OFF_L, 0xFE, 0x01])]);
    assert_eq!(rig.counts(0), Some(434));
    rig.step(|_| angle(437.0));
    assert_eq!(led_writes(rig.bus.take_transcript()), [write(BOARD_A, &[LED0_OFF_L, 1, 2])], "outward at once");
}

#[test]
fn when_a_channel_is_off_between_pulses_expect_it_within_the_run_of_its_neighbours() {
    let mut rig = at_437_counts();
    rig.step(|joint| angle(if joint == 1 { 434.0 } else { 439.0 }));
    let writes = led_writes(rig.bus.take_transcript());
    assert_eq!((writes.len(), bytes(&writes)), (2, 72));
    assert_eq!(writes[0].written[..7], [LED0_OFF_L, 3, 2, 76, 0, 1, FULL_OFF]);
}

#[test]
fn when_commands_end_while_a_channel_is_off_between_pulses_expect_its_pulse_two_ticks_later() {
    let mut rig = at_437_counts();
    rig.step(|_| angle(434.0));
    rig.tick();
    assert_eq!(rig.counts(0), None);
    rig.tick();
    assert_eq!(rig.counts(0), Some(434));
    // The same when the driver holds or is at fault: healthy boards keep their pulses.
    for _ in 0..100 {
        rig.step(|_| angle(437.0));
    }
    rig.step(|_| angle(434.0));
    assert_eq!(rig.counts(0), None);
    rig.driver.trip("a test");
    for _ in 0..2 {
        assert_eq!(rig.tick(), State::Fault);
    }
    assert_eq!(rig.counts(0), Some(434));
}

/// Every tick of random jumps over the whole legal range, at three frequencies and with steps at the speed limit.
#[test]
fn when_targets_jump_expect_four_bytes_a_changed_channel_in_every_tick() {
    for (frequency_hz, limits_us) in [(50.0, (500.0, 2500.0)), (100.0, (600.0, 2400.0)), (333.0, (500.0, 2500.0))] {
        let config = ServoConfig::try_from(raw_config(frequency_hz, limits_us)).expect("valid");
        let mut rig = Rig::armed_with(config);
        rig.bus.record();
        let (mut seed, mut passed, mut targets) = (7_u64, 0, [0.0; JOINTS]);
        for _ in 0..20_000 {
            let before = all_registers(&rig);
            for target in &mut targets {
                seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                if seed >> 33 & 15 == 0 {
                    *target = (seed >> 40) as f64 / f64::from(1 << 24) * 3.4 - 1.7;
                }
            }
            // Of what the strain guard is for there is plenty here, so it ends in a fault now and then.
            if rig.step(|joint| targets[joint]) != State::Armed {
                rig.arm(|joint| targets[joint]);
                rig.bus.take_transcript();
                continue;
            }
            let changed = all_registers(&rig).iter().zip(before).filter(|(after, before)| **after != *before).count();
            assert_eq!(bytes(&led_writes(rig.bus.take_transcript())), 4 * changed);
            passed += (0..JOINTS).filter(|&joint| rig.counts(joint).is_none()).count();
        }
        assert!(passed > 100, "{passed} pulses left out at {frequency_hz} Hz");
    }
}

/// ON and OFF of every joint's channel.
fn all_registers(rig: &Rig) -> Vec<[u8; 4]> {
    let registers = |servo: &hexapod_servo::calibration::Servo| {
        let chip = rig.bus.chip(crate::common::BOARDS[servo.board()]).expect("there is one");
        std::array::from_fn(|n| chip.register(0x06 + 4 * servo.channel() + n as u8))
    };
    rig.driver.servos().iter().map(registers).collect()
}
