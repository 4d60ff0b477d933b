package booking

import (
	"errors"
	"testing"
)

func TestHiddenAGapIsFilled(t *testing.T) {
	p := New()
	for _, m := range []Meeting{meeting("09:00", "10:00", "A"), meeting("11:00", "12:00", "B"), meeting("10:00", "11:00", "C")} {
		if err := p.Add("room2", m); err != nil {
			t.Error(err)
		}
	}
}

func TestHiddenClashesStay(t *testing.T) {
	for _, c := range [][2]string{{"09:00", "11:00"}, {"09:30", "10:30"}, {"08:00", "12:00"}, {"10:59", "11:30"}, {"08:30", "09:01"}} {
		p := New()
		if err := p.Add("r", meeting("09:00", "11:00", "A")); err != nil {
			t.Fatal(err)
		}
		var clash *Clash
		if err := p.Add("r", meeting(c[0], c[1], "B")); !errors.As(err, &clash) {
			t.Errorf("%v: got %v, want a clash", c, err)
		}
	}
}

func TestHiddenNoEmptySlot(t *testing.T) {
	for name, c := range map[string]struct {
		meetings [][2]string
		free     int
	}{
		"one after the other":          {[][2]string{{"09:00", "10:00"}, {"10:00", "11:00"}}, 2},
		"from the opening":             {[][2]string{{"08:00", "09:00"}}, 1},
		"to the closing":               {[][2]string{{"17:00", "18:00"}}, 1},
		"all day":                      {[][2]string{{"08:00", "18:00"}}, 0},
		"ends when the office opens":   {[][2]string{{"07:00", "08:00"}}, 1},
		"begins when the office shuts": {[][2]string{{"18:00", "19:00"}}, 1},
	} {
		p := New()
		for _, m := range c.meetings {
			p.rooms["r"] = append(p.rooms["r"], meeting(m[0], m[1], "A"))
		}
		free := p.Free("r", at("00:00"))
		if len(free) != c.free {
			t.Errorf("%s: got %v, want %d slots", name, free, c.free)
		}
		for _, s := range free {
			if !s.Valid() {
				t.Errorf("%s: %v has no length", name, s)
			}
		}
	}
}
