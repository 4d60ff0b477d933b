package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/bot/slacktest"
)

// pointMark names a place in the source at which it matters that the program may die:
// before it, something has happened; after it, that will be known. The lines are comments
// and nothing else; the test builds a program in which each of them can kill.
const pointMark = "//crash:"

// pointCode is what stands in the place of the comments, one file in each package.
const pointCode = `package %s

import (
	"os"
	"strconv"
	"sync/atomic"
	"syscall"
)

var crashHits atomic.Int64

func crashPoint(name string) {
	if os.Getenv("BOBBIN_CRASH") != name {
		return
	}
	if at, _ := strconv.ParseInt(os.Getenv("BOBBIN_CRASH_HIT"), 10, 64); crashHits.Add(1) == at {
		syscall.Kill(os.Getpid(), syscall.SIGKILL)
		select {}
	}
}
`

// withPoints builds the program with its points, and gives their names. Waits for Slack's
// limits are shortened there: nothing else is different.
func withPoints(t *testing.T, dir string) (binary string, points []string) {
	t.Helper()
	root, err := filepath.Abs("../..")
	require.NoError(t, err)
	replace := map[string]string{}
	put := func(name, text string) {
		with := filepath.Join(dir, fmt.Sprintf("overlay-%d.go", len(replace)))
		require.NoError(t, os.WriteFile(with, []byte(text), 0o600))
		replace[name] = with
	}
	packages := map[string]string{}
	require.NoError(t, filepath.WalkDir(root, func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") {
			return err
		}
		b, err := os.ReadFile(name)
		text := string(b)
		quick := strings.NewReplacer("cmp.Or(p.Pace, time.Second)", "cmp.Or(p.Pace, time.Second/20)", "cmp.Or(p.Settle, 3*time.Second)", "cmp.Or(p.Settle, time.Second/5)").Replace(text)
		if err != nil || !strings.Contains(text, pointMark) && quick == text {
			return err
		}
		changed, found := crashing(quick)
		points = append(points, found...)
		put(name, changed)
		if len(found) > 0 {
			packages[filepath.Dir(name)] = packageName(text)
		}
		return nil
	}))
	for folder, name := range packages {
		put(filepath.Join(folder, "crash_points.go"), fmt.Sprintf(pointCode, name))
	}
	overlay := filepath.Join(dir, "overlay.json")
	b, err := json.Marshal(map[string]any{"Replace": replace})
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(overlay, b, 0o600))
	slices.Sort(points)
	require.Equal(t, points, slices.Compact(slices.Clone(points)), "a name that stands twice")
	return built(t, dir, "-overlay", overlay), points
}

// crashing puts code in the place of the comments, line by line.
func crashing(text string) (changed string, points []string) {
	var out strings.Builder
	lines := bufio.NewScanner(strings.NewReader(text))
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		line := lines.Text()
		if name, ok := strings.CutPrefix(strings.TrimSpace(line), pointMark); ok {
			points = append(points, name)
			line = fmt.Sprintf("crashPoint(%q)", name)
		}
		out.WriteString(line + "\n")
	}
	return out.String(), points
}

func packageName(text string) string {
	for line := range strings.Lines(text) {
		if name, ok := strings.CutPrefix(line, "package "); ok {
			return strings.TrimSpace(name)
		}
	}
	return ""
}

// TestKilledAtEachPoint: the program dies at each point that its source names, at the
// first, second and third time that it comes there. Once the same process is started
// again, once another replica takes over, and once on a machine that has no files.
func TestKilledAtEachPoint(t *testing.T) {
	t.Parallel()
	dir, err := stageDir("")
	require.NoError(t, err)
	t.Cleanup(func() { os.RemoveAll(dir) })
	binary, points := withPoints(t, dir)
	require.GreaterOrEqual(t, len(points), 30)
	whole := os.Getenv("BOBBIN_CHAOS") != ""
	model := reflex(t).URL
	var room sync.WaitGroup // for several at a time: they mostly wait
	places := make(chan struct{}, 6)
	for i, point := range points {
		for hit := 1; hit <= 3; hit++ {
			if !whole && (i%5 != 0 || hit != 1+i/5%3) {
				continue
			}
			room.Add(1)
			places <- struct{}{}
			go func() {
				defer room.Done()
				defer func() { <-places }()
				t.Run(fmt.Sprintf("%s/%d", point, hit), func(t *testing.T) {
					c := &chaos{t: t, seed: 1, sessions: 3, atOnce: 3, replicas: 1, binary: binary, model: model}
					c.open()
					died := c.playUntil(point, hit)
					if hit == 1 && !died {
						t.Errorf("nothing came to %s", point)
					}
					require.Empty(t, c.faults(t.Context()))
				})
			}()
		}
	}
	room.Wait()
}

// playUntil runs the sessions with a program that dies at a point, and goes on with
// another.
func (c *chaos) playUntil(point string, hit int) (died bool) {
	ctx, cancel := context.WithTimeout(c.t.Context(), 3*time.Minute)
	defer cancel()
	first := &replicaProcess{data: "data-0", env: []string{"BOBBIN_CRASH=" + point, fmt.Sprint("BOBBIN_CRASH_HIT=", hit)}}
	c.running = []*replicaProcess{first}
	c.start(first)
	defer c.stop()
	c.slack.Order(slacktest.Fault{Method: "chat.postMessage", Nth: 2, LoseAnswer: true})
	talked := make(chan struct{})
	go func() { defer close(talked); c.talk(ctx) }()
	select {
	case <-first.ended:
		died = true
		first.env = nil
		switch hit {
		case 2:
			first.data = "data-1"
		case 3:
			require.NoError(c.t, os.RemoveAll(filepath.Join(c.dir, first.data)))
		}
		c.start(first)
		<-talked
	case <-talked:
	}
	c.settle(ctx)
	return died
}
