/* See chip.h. */
#include "chip.h"
#include <string.h>

void chip_power_up(struct board *b) {
    memset(b->reg, 0, sizeof b->reg);
    memset(b->out, 0, sizeof b->out);
    b->reg[MODE1] = SLEEP | ALLCALL;
    b->reg[MODE2] = 0x04;
    b->reg[SUBADR1] = 0xE2, b->reg[SUBADR1 + 1] = 0xE4, b->reg[SUBADR1 + 2] = 0xE8;
    b->reg[ALLCALLADR] = 0xE0;
    for (int channel = 0; channel < CHANNELS; channel++) {
        b->reg[LED0 + 4 * channel + 3] = b->out[4 * channel + 3] = FULL;
    }
    b->reg[PRE_SCALE] = 0x1E;
}

int chip_answers(const struct board *b, uint8_t address) {
    int all = (b->reg[MODE1] & ALLCALL) && address == b->reg[ALLCALLADR] >> 1;
    return !b->dead && (address == b->address || all);
}

static int any_pulse(const struct board *b) {
    int on = 0;
    for (int channel = 0; channel < CHANNELS; channel++) {
        on |= !(b->out[4 * channel + 3] & FULL);
    }
    return on;
}

void chip_put(struct board *b, uint8_t reg, uint8_t value) {
    if (reg == MODE1) {
        /* Writing 1 to RESTART clears it; SLEEP sets it unless all channels were shut down first (7.3.1.1). */
        uint8_t restart = b->reg[MODE1] & RESTART & (uint8_t)~value;
        if (!(b->reg[MODE1] & SLEEP) && (value & SLEEP) && any_pulse(b)) {
            restart = RESTART;
        }
        b->reg[MODE1] = (uint8_t)((value & ~RESTART) | restart);
    } else if (reg == PRE_SCALE) {
        if (b->reg[MODE1] & SLEEP) {
            b->reg[PRE_SCALE] = value < 3 ? 3 : value;
        }
    } else if (reg >= ALL_LED && reg <= ALL_LED_END) {
        b->wrote_pwm = 1;
        for (int channel = 0; channel < CHANNELS; channel++) {
            b->reg[LED0 + 4 * channel + reg - ALL_LED] = value & ((reg & 1) ? 0x1F : 0xFF);
        }
    } else if (reg <= LED15_END) {
        b->wrote_pwm |= reg >= LED0;
        b->reg[reg] = reg >= LED0 && (reg & 1) ? value & 0x1F : value;
    }
}

void chip_step(struct board *b) {
    if (b->reg[MODE1] & AUTO_INCREMENT) {
        b->pointer = b->pointer == LED15_END ? 0 : (uint8_t)(b->pointer + 1);
    }
}

int chip_counts(const struct board *b, int channel) {
    const uint8_t *r = b->out + 4 * channel;
    int on = r[0] | (r[1] & 15) << 8, off = r[2] | (r[3] & 15) << 8;
    if ((b->reg[MODE1] & SLEEP) || (r[3] & FULL)) {
        return 0;
    }
    if ((r[1] & FULL) || on == off) {
        return 4096;
    }
    return (off - on) & 4095;
}

void chip_stop(struct board *b) {
    memcpy(b->out, b->reg + LED0, sizeof b->out);
    if (b->wrote_pwm) {
        /* With OCH = 0 this clears RESTART, too. */
        b->reg[MODE1] &= (uint8_t)~RESTART;
        b->wrote_pwm = 0;
    }
    for (int channel = 0; channel < CHANNELS; channel++) {
        int counts = chip_counts(b, channel);
        if (counts != 0 && b->longest[channel] != 0 && (counts < b->shortest[channel] || counts > b->longest[channel])) {
            b->violations++;
            b->violation[0] = (uint8_t)channel;
            memcpy(b->violation + 1, b->out + 4 * channel, 4);
        }
    }
}
