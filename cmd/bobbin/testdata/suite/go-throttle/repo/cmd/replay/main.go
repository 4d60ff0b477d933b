// Command replay says which requests of a log would have been let through.
package main

import (
	"bufio"
	"flag"
	"fmt"
	"os"
	"time"

	"throttle"
)

func main() {
	rate := flag.Int("rate", 10, "requests a second")
	burst := flag.Int("burst", 20, "requests at once")
	flag.Parse()
	if err := replay(flag.Arg(0), throttle.Rate{PerSecond: *rate, Burst: *burst}); err != nil {
		fmt.Fprintln(os.Stderr, "replay:", err)
		os.Exit(1)
	}
}

func replay(name string, r throttle.Rate) error {
	f, err := os.Open(name)
	if err != nil {
		return err
	}
	defer f.Close()
	now := time.Unix(0, 0)
	l, err := throttle.New(r, func() time.Time { return now })
	if err != nil {
		return err
	}
	lines := bufio.NewScanner(f)
	for lines.Scan() {
		var ms int64
		var client string
		if _, err := fmt.Sscan(lines.Text(), &ms, &client); err != nil {
			return fmt.Errorf("%q: %w", lines.Text(), err)
		}
		now = time.UnixMilli(ms)
		fmt.Println(ms, client, l.Allow(client))
	}
	return lines.Err()
}
