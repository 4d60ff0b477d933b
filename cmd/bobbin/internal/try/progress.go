package try

import (
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/cli"
)

// A progress shows steps that take longer than a second.
type progress struct {
	out io.Writer
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
				text += fmt.Sprintf(" (%s so far)", took.Round(time.Second))
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
