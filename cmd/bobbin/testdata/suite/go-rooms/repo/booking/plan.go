// Package booking keeps who meets when in which room.
package booking

import (
	"fmt"
	"sort"
	"strings"
	"time"
)

// A Meeting is in a room for a time.
type Meeting struct {
	Slot
	Title string
}

// A Plan has the meetings of each room, in the order of their begin.
type Plan struct {
	rooms map[string][]Meeting
}

// A Clash is a meeting that cannot be, because of one that is.
type Clash struct {
	Room  string
	Other Meeting
}

func (c *Clash) Error() string {
	return fmt.Sprintf("%s is taken by %q from %s to %s", c.Room, c.Other.Title, c.Other.Begin.Format("15:04"), c.Other.End.Format("15:04"))
}

// Opens and Closes bound the office's day.
const (
	Opens  = 8 * time.Hour
	Closes = 18 * time.Hour
)

// New is an empty plan.
func New() *Plan { return &Plan{rooms: map[string][]Meeting{}} }

// Add books a room, or gives a *Clash.
func (p *Plan) Add(room string, m Meeting) error {
	if !m.Valid() {
		return fmt.Errorf("a meeting has to end after it begins")
	}
	for _, other := range p.rooms[room] {
		if other.Overlaps(m.Slot) {
			return &Clash{room, other}
		}
	}
	list := append(p.rooms[room], m)
	sort.Slice(list, func(i, j int) bool { return list[i].Begin.Before(list[j].Begin) })
	p.rooms[room] = list
	return nil
}

// Meetings are those of a room on a day.
func (p *Plan) Meetings(room string, day time.Time) (found []Meeting) {
	whole := officeDay(day)
	for _, m := range p.rooms[room] {
		if m.Overlaps(whole) {
			found = append(found, m)
		}
	}
	return found
}

// Free are the slots of a day in which nobody is in the room.
func (p *Plan) Free(room string, day time.Time) (found []Slot) {
	rest := officeDay(day)
	for _, m := range p.Meetings(room, day) {
		if !rest.Begin.After(m.Begin) {
			found = append(found, Slot{rest.Begin, m.Begin})
		}
		if m.End.After(rest.Begin) {
			rest.Begin = m.End
		}
	}
	if rest.Valid() {
		found = append(found, rest)
	}
	return found
}

func officeDay(day time.Time) Slot {
	midnight := time.Date(day.Year(), day.Month(), day.Day(), 0, 0, 0, 0, time.UTC)
	return Slot{midnight.Add(Opens), midnight.Add(Closes)}
}

// String is the plan as its file has it.
func (p *Plan) String() string {
	names := make([]string, 0, len(p.rooms))
	for name := range p.rooms {
		names = append(names, name)
	}
	sort.Strings(names)
	var b strings.Builder
	for _, name := range names {
		for _, m := range p.rooms[name] {
			fmt.Fprintf(&b, "%s %s %s %s\n", name, m.Begin.Format(layout), m.End.Format(layout), m.Title)
		}
	}
	return b.String()
}
