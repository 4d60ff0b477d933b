package booking

import (
	"errors"
	"testing"
	"time"
)

func at(clock string) time.Time {
	t, err := time.Parse(layout, "2026-03-03T"+clock)
	if err != nil {
		panic(err)
	}
	return t
}

func meeting(begin, end, title string) Meeting {
	return Meeting{Slot{at(begin), at(end)}, title}
}

func TestAdd(t *testing.T) {
	p := New()
	if err := p.Add("room1", meeting("09:00", "10:00", "Standup")); err != nil {
		t.Fatal(err)
	}
	var clash *Clash
	if err := p.Add("room1", meeting("09:30", "10:30", "Retro")); !errors.As(err, &clash) || clash.Other.Title != "Standup" {
		t.Errorf("got %v, want a clash with the standup", err)
	}
	if err := p.Add("room2", meeting("09:30", "10:30", "Retro")); err != nil {
		t.Error(err)
	}
	if err := p.Add("room1", meeting("12:00", "11:00", "Backwards")); err == nil {
		t.Error("a meeting that ends before it begins was taken")
	}
}

func TestFree(t *testing.T) {
	p, err := Parse("# tomorrow\nroom1 2026-03-03T09:00 2026-03-03T10:00 Standup\nroom1 2026-03-03T12:00 2026-03-03T13:00 Lunch\n")
	if err != nil {
		t.Fatal(err)
	}
	free := p.Free("room1", at("00:00"))
	if len(free) != 3 || free[1].Length() != 2*time.Hour {
		t.Errorf("got %v", free)
	}
}

func TestParseSaysWhere(t *testing.T) {
	if _, err := Parse("room1 2026-03-03T09:00 2026-03-03T10:00 A\nroom1\n"); err == nil || err.Error() != "line 2: a room, two times and a title are expected" {
		t.Errorf("got %v", err)
	}
}
