package plaintext

import (
	"fmt"
	"strconv"
	"time"
)

// FormatCount writes a number with commas between thousands: 12,345.
func FormatCount[N int | int64](n N) string {
	s := strconv.FormatInt(int64(n), 10)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// CountNoun writes a number with its noun, in the plural unless n is 1: 1 file, 2 files.
func CountNoun(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return FormatCount(n) + " " + noun + "s"
}

// FormatSize writes a number of bytes: 12 bytes, 1.5 KB, 3.0 MB.
func FormatSize(n int64) string {
	switch {
	case n < 1<<10:
		return fmt.Sprintf("%d bytes", n)
	case n < 1<<20:
		return fmt.Sprintf("%.1f KB", float64(n)/(1<<10))
	}
	return fmt.Sprintf("%.1f MB", float64(n)/(1<<20))
}

// FormatDuration writes a duration in whole units, cut down: 40 s, 12 min, 3 h 5 min, 24 h, 2 days.
func FormatDuration(d time.Duration) string {
	minutes := int(d / time.Minute)
	switch {
	case minutes < 1:
		return fmt.Sprintf("%d s", int(d/time.Second))
	case minutes < 60:
		return fmt.Sprintf("%d min", minutes)
	case minutes < 48*60 && minutes%60 == 0:
		return fmt.Sprintf("%d h", minutes/60)
	case minutes < 48*60:
		return fmt.Sprintf("%d h %d min", minutes/60, minutes%60)
	}
	return fmt.Sprintf("%d days", minutes/(24*60))
}
