package booking

import "time"

// A Slot is a time from Begin to End.
type Slot struct {
	Begin, End time.Time
}

// Overlaps reports whether two slots have time in common.
func (s Slot) Overlaps(o Slot) bool {
	return !s.Begin.After(o.End) && !o.Begin.After(s.End)
}

// Contains reports whether o lies within s.
func (s Slot) Contains(o Slot) bool {
	return !o.Begin.Before(s.Begin) && !o.End.After(s.End)
}

// Length is how long the slot is.
func (s Slot) Length() time.Duration { return s.End.Sub(s.Begin) }

// Valid reports whether the slot has a length.
func (s Slot) Valid() bool { return s.Begin.Before(s.End) }
