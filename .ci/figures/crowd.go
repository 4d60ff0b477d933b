package main

import (
	"context"
	"crypto/rand"
	"fmt"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"time"
)

const (
	fewSessions  = 20
	manySessions = 200
	thinks       = 2 * time.Second  // how long the model takes for each answer
	window       = 20 * time.Second // how long answers are counted
	begun        = 3                // number of requests after which a session counts as at work
)

// crowdRow measures how long sessions that work at the same time wait for each other, and how much memory they
// take: the memory of the bot process alone, without Postgres and without commands.
func crowdRow() row {
	return row{
		name: "crowd", what: fmt.Sprintf("%d sessions at work at once, whose model takes two seconds for each answer", manySessions), most: 1,
		figures: []figure{
			{name: "from one request of a session to its next, of which the model takes 2 s", unit: "s", most: 2.1},
			{name: "processor time of the bot for one answer, with its tool", unit: "ms"},
			{name: "memory at rest", unit: "MB", most: 60},
			{name: "of it, without the pages of the program's own file", unit: "MB"},
			{name: fmt.Sprintf("memory with %d sessions at work", fewSessions), unit: "MB"},
			{name: fmt.Sprintf("memory with %d sessions at work", manySessions), unit: "MB"},
			{name: "memory of each further session", unit: "MB", most: 3},
		},
		open: func(ctx context.Context, b *bench) ([]side, func(), error) {
			return []side{{name: "bobbin serve", turn: func(ctx context.Context) ([]float64, error) { return b.crowd(ctx) }}}, nil, nil
		},
	}
}

// A counter counts the model requests of each session.
type counter struct {
	mu   sync.Mutex
	by   map[string]int
	all  int
	news chan struct{}
}

var caseNumber = regexp.MustCompile(`case [0-9]+:`)

// count counts one request and returns its number within its session, from 1.
func (c *counter) count(a modelRequest) int {
	name := caseNumber.FindString(string(a.body))
	c.mu.Lock()
	defer c.mu.Unlock()
	c.by[name]++
	c.all++
	select {
	case c.news <- struct{}{}:
	default:
	}
	return c.by[name]
}

func (c *counter) total() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.all
}

// await waits until that many sessions are at work, which means that each has made at least begun requests.
func (c *counter) await(ctx context.Context, sessions int) error {
	for {
		c.mu.Lock()
		working := 0
		for _, n := range c.by {
			if n >= begun {
				working++
			}
		}
		c.mu.Unlock()
		if working >= sessions {
			return nil
		}
		select {
		case <-c.news:
		case <-ctx.Done():
			return fmt.Errorf("%d of %d sessions are at work: %w", working, sessions, ctx.Err())
		}
	}
}

func (b *bench) crowd(ctx context.Context) ([]float64, error) {
	o, err := openOffice()
	if err != nil {
		return nil, err
	}
	defer o.Close()
	c := &counter{by: map[string]int{}, news: make(chan struct{}, 1)}
	model := openEndpoint(func(a modelRequest) answer {
		n := c.count(a)
		thought := make(chan struct{})
		time.AfterFunc(thinks, func() { close(thought) })
		return answer{tool: "search", args: map[string]any{"pattern": fmt.Sprint("total", n)}, wait: thought}
	})
	defer model.close()
	remote, err := b.crowdRemote(ctx)
	if err != nil {
		return nil, err
	}
	p, err := b.serve(ctx, o, model, fmt.Sprintf("repositories: [{name: shop, url: %q, base: main}]\nsandbox: {kind: none}\nlimits: {sessions_at_once: %d}\n", remote, manySessions))
	if err != nil {
		return nil, err
	}
	defer p.stop()
	if err := pause(ctx, 3*time.Second); err != nil {
		return nil, err
	}
	rest, own := p.memory("VmRSS"), p.memory("RssAnon")
	begin := func(from, to int) error {
		for n := from; n < to; n++ {
			if _, err := o.Say(o.channel, o.ann, fmt.Sprintf("%s case %d: %s is wrong in %s", o.Mention(), n, rand.Text(), rand.Text()), ""); err != nil {
				return err
			}
		}
		if err := c.await(ctx, to); err != nil {
			return fmt.Errorf("%w: %s", err, p.tail())
		}
		return nil
	}
	if err := begin(0, fewSessions); err != nil {
		return nil, err
	}
	few, err := p.most(ctx, window/4)
	if err != nil {
		return nil, err
	}
	if err := begin(fewSessions, manySessions); err != nil {
		return nil, err
	}
	before, used, began := c.total(), p.seconds(), time.Now()
	many, err := p.most(ctx, window)
	if err != nil {
		return nil, err
	}
	answers, took := float64(c.total()-before), time.Since(began).Seconds()
	return []float64{took * manySessions / answers, (p.seconds() - used) / answers * 1000, rest, own, few, many, (many - rest) / manySessions}, nil
}

// crowdRemote creates a bare repository with one file and returns its path.
func (b *bench) crowdRemote(ctx context.Context) (string, error) {
	work, remote := filepath.Join(b.dir, "crowd"), filepath.Join(b.dir, "crowd.git")
	if err := writeFile(filepath.Join(work, "README.md"), []byte("A shop.\n")); err != nil {
		return "", err
	}
	for _, args := range [][]string{{"init", "-q", "-b", "main"}, {"add", "-A"}, {"commit", "-qm", "shop"}, {"clone", "-q", "--bare", ".", remote}} {
		if _, err := runGit(ctx, work, args...); err != nil {
			return "", err
		}
	}
	return remote, nil
}

func pause(ctx context.Context, d time.Duration) error {
	select {
	case <-time.After(d):
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// most returns the peak resident memory of the process itself, in MB, sampled every 100 ms for that duration.
func (p *process) most(ctx context.Context, within time.Duration) (most float64, err error) {
	for end := time.Now().Add(within); time.Now().Before(end) && err == nil; err = pause(ctx, 100*time.Millisecond) {
		most = max(most, p.memory("VmRSS"))
	}
	return most, err
}

// memory returns a memory figure of the process itself in MB, read from that field of /proc/PID/status.
func (p *process) memory(name string) float64 {
	fields := strings.Fields(firstField(fmt.Sprintf("/proc/%d/status", p.Process.Pid), name))
	if len(fields) == 0 {
		return 0
	}
	kilobytes, _ := strconv.ParseFloat(fields[0], 64)
	return kilobytes / 1024
}

// seconds returns the processor time that the process itself has used so far.
func (p *process) seconds() float64 {
	var total float64
	if f := statOf(fmt.Sprintf("/proc/%d/stat", p.Process.Pid)); len(f) > 12 {
		for _, ticks := range f[11:13] {
			n, _ := strconv.ParseFloat(ticks, 64)
			total += n / 100
		}
	}
	return total
}
