package gateway

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/bot/bottest"
	"github.com/bobbinhq/bobbin/bot/slacktest"
	"github.com/bobbinhq/bobbin/workflow/incoming"
)

// storm is what comes in while the first event is stored: messages in two threads, in turns, and
// more of them than are taken at once.
func storm(t *testing.T, fails string) (*gatewayOffice, *bottest.Inbox) {
	o := openGatewayOffice(t, slacktest.Config{AckTimeout: time.Minute})
	commit, entered := make(chan struct{}), make(chan struct{}, 1000)
	in := &bottest.Inbox{Before: func(e incoming.Event) error {
		entered <- struct{}{}
		<-commit
		if fails != "" && e.Text == fails {
			return errors.New("this one cannot be stored")
		}
		return nil
	}}
	o.run(&Gateway{Inbox: in, Patience: time.Nanosecond})
	one, other := o.AdaSays("one", ""), o.AdaSays("other", "") // roots, not for the bot
	o.AdaSays("first", one)
	<-entered
	for n := range mostTogether {
		o.AdaSays(fmt.Sprint("one ", n), one)
		o.AdaSays(fmt.Sprint("other ", n), other)
	}
	close(commit)
	return o, in
}

func TestWhatWaitsIsStoredTogether(t *testing.T) {
	t.Parallel()
	o, in := storm(t, "")
	o.Settle()
	_, kept := in.Seen()
	next := map[string]int{}
	for _, e := range kept[1:] {
		var thread string
		var n int
		_, err := fmt.Sscanf(e.Text, "%s %d", &thread, &n)
		require.NoError(t, err)
		require.Equal(t, next[thread], n, "each thread in its order")
		next[thread]++
	}
	require.Equal(t, map[string]int{"one": mostTogether, "other": mostTogether}, next)
	require.Less(t, len(in.Together), mostTogether, "calls for %d events", len(kept))
	for _, d := range o.Deliveries() {
		require.Equal(t, slacktest.Acked, d.Outcome)
	}
}

func TestOneThatCannotBeStoredHoldsBackNoOther(t *testing.T) {
	t.Parallel()
	o, in := storm(t, "one 7")
	_, err := o.WaitDeliveries(bottest.Soon(t), func(list []slacktest.Delivery) bool {
		pending := 0
		for _, d := range list {
			if d.Outcome == slacktest.Pending {
				pending++
			}
		}
		return len(list) > 2*mostTogether && pending == 1
	})
	require.NoError(t, err)
	_, kept := in.Seen()
	require.Len(t, kept, 2*mostTogether, "all but that one")
}
