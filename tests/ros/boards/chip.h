/* One PCA9685. Register numbers and behaviour are those of NXP's data sheet, rev. 4, written down again here: the driver's
 * own constants are under test. */
#ifndef CHIP_H
#define CHIP_H

#include <stdint.h>

enum { MODE1 = 0x00, MODE2 = 0x01, SUBADR1 = 0x02, ALLCALLADR = 0x05, LED0 = 0x06, LED15_END = 0x45,
       ALL_LED = 0xFA, ALL_LED_END = 0xFD, PRE_SCALE = 0xFE, CHANNELS = 16 };
enum { RESTART = 0x80, AUTO_INCREMENT = 0x20, SLEEP = 0x10, ALLCALL = 0x01, FULL = 0x10 };

/* One board. `out` is what the outputs do: the LED registers as they were at the last STOP. */
struct board {
    uint8_t address, pointer, dead, listening, wrote_pwm;
    uint8_t reg[256], out[64];
    uint16_t shortest[CHANNELS], longest[CHANNELS];
    uint32_t violations;
    uint8_t violation[8];
};

/* All registers as after power-up (7.5). */
void chip_power_up(struct board *b);
/* Whether it acknowledges an address. */
int chip_answers(const struct board *b, uint8_t address);
/* A byte written to a register. */
void chip_put(struct board *b, uint8_t reg, uint8_t value);
/* The register pointer moves on, if auto-increment is on. */
void chip_step(struct board *b);
/* A STOP on the bus: outputs follow their registers. */
void chip_stop(struct board *b);
/* Length of a channel's pulse in counts; 0: low, 4096: always high. */
int chip_counts(const struct board *b, int channel);

#endif
