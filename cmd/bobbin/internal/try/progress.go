package try

import (
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/cli"
	"github.com/bobbinhq/bobbin/repo/build"
)

// A progress shows steps that take longer than a second.
type progress struct {
	out io.Writer

	mu    sync.Mutex
	count string // how many tests have ended in the run that goes on; empty: not known
}

// watch is told how far the run of a step is.
func (p *progress) watch(now build.Progress) (more func(build.Progress), end func()) {
	p.setCount(now.Count())
	return func(now build.Progress) { p.setCount(now.Count()) }, func() { p.setCount("") }
}

func (p *progress) setCount(count string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.count = count
}

// howFar says how long a step has taken, and how many tests have ended in it as far as that is known.
func (p *progress) howFar(took time.Duration) string {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.count == "" {
		return fmt.Sprintf(" (%s so far)", took.Round(time.Second))
	}
	return fmt.Sprintf(" (%s, %s)", took.Round(time.Second), p.count)
}

// again is how long a step that was shown goes on before it is shown once more.
const again = 15 * time.Second

// step shows what a step does if it has not ended after a second, and from then on how long it takes.
func (p *progress) step(what string) (done func()) {
	began := time.Now()
	ended := make(chan struct{})
	var showing sync.WaitGroup
	showing.Go(func() {
		wait := time.NewTimer(time.Second)
		defer wait.Stop()
		for {
			select {
			case <-ended:
				return
			case <-wait.C:
			}
			text := cli.WithoutControls(what)
			if took := time.Since(began); took > again {
				text += p.howFar(took)
			}
			fmt.Fprintln(p.out, "bobbin: "+text)
			wait.Reset(again)
		}
	})
	return sync.OnceFunc(func() {
		close(ended)
		showing.Wait()
	})
}
