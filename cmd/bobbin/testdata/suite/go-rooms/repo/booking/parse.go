package booking

import (
	"fmt"
	"strings"
	"time"
)

const layout = "2006-01-02T15:04"

// Parse reads a plan from its file. Lines that are empty or begin with # say nothing.
func Parse(text string) (*Plan, error) {
	p := New()
	for i, line := range strings.Split(text, "\n") {
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		room, m, err := parseLine(line)
		if err == nil {
			err = p.Add(room, m)
		}
		if err != nil {
			return nil, fmt.Errorf("line %d: %w", i+1, err)
		}
	}
	return p, nil
}

func parseLine(line string) (room string, m Meeting, err error) {
	parts := strings.SplitN(line, " ", 4)
	if len(parts) != 4 {
		return "", m, fmt.Errorf("a room, two times and a title are expected")
	}
	if m.Begin, err = time.Parse(layout, parts[1]); err != nil {
		return "", m, err
	}
	if m.End, err = time.Parse(layout, parts[2]); err != nil {
		return "", m, err
	}
	m.Title = parts[3]
	return parts[0], m, nil
}
