// Command rooms books meeting rooms from a plain text file.
package main

import (
	"fmt"
	"os"
	"strings"
	"time"

	"rooms/booking"
)

const layout = "2006-01-02T15:04"

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "rooms:", err)
		os.Exit(1)
	}
}

func run(args []string) error {
	if len(args) < 4 {
		return fmt.Errorf("usage: rooms book FILE ROOM BEGIN END TITLE | rooms free FILE ROOM DAY")
	}
	text, err := os.ReadFile(args[1])
	if err != nil && !os.IsNotExist(err) {
		return err
	}
	plan, err := booking.Parse(string(text))
	if err != nil {
		return err
	}
	switch {
	case args[0] == "book" && len(args) >= 6:
		return book(plan, args[1:])
	case args[0] == "free":
		return free(plan, args[2], args[3])
	}
	return fmt.Errorf("unknown command %q", args[0])
}

func book(plan *booking.Plan, args []string) error {
	begin, err := time.Parse(layout, args[2])
	if err != nil {
		return err
	}
	end, err := time.Parse(layout, args[3])
	if err != nil {
		return err
	}
	if err := plan.Add(args[1], booking.Meeting{Slot: booking.Slot{Begin: begin, End: end}, Title: strings.Join(args[4:], " ")}); err != nil {
		return err
	}
	return os.WriteFile(args[0], []byte(plan.String()), 0o644)
}

func free(plan *booking.Plan, room, day string) error {
	d, err := time.Parse("2006-01-02", day)
	if err != nil {
		return err
	}
	for _, s := range plan.Free(room, d) {
		fmt.Printf("%s-%s\n", s.Begin.Format("15:04"), s.End.Format("15:04"))
	}
	return nil
}
