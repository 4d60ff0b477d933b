package gateway

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/slack-go/slack/socketmode"
	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/bot/bottest"
	"github.com/bobbinhq/bobbin/bot/slacktest"
	"github.com/bobbinhq/bobbin/workflow"
)

// ofEach is the number of messages that a storm sends to each of its two threads. Together they fill
// the event channel of a client.
const ofEach = maxTogether / 2

// storm sends messages to two threads in turn while the first event is being stored. When all of them wait,
// it lets the commit go on. An event with the text fails cannot be stored.
func storm(t *testing.T, fails string) (*gatewayOffice, *bottest.Inbox) {
	o := openGatewayOffice(t, slacktest.Config{AckTimeout: time.Minute})
	commit := make(chan struct{})
	entered := make(chan struct{}, 1000)
	in := &bottest.Inbox{Before: func(e workflow.IncomingEvent) error {
		entered <- struct{}{}
		<-commit
		if fails != "" && e.Text == fails {
			return errors.New("this one cannot be stored")
		}
		return nil
	}}
	var client *socketmode.Client
	o.run(&Gateway{
		Inbox:        in,
		StoreTimeout: time.Nanosecond,
		opened:       func(c *socketmode.Client) { client = c },
	})
	one := o.AdaSays("one", "")
	other := o.AdaSays("other", "") // root messages, which are not for the bot
	o.AdaSays("first", one)
	<-entered
	for n := range ofEach {
		o.AdaSays(fmt.Sprint("one ", n), one)
		o.AdaSays(fmt.Sprint("other ", n), other)
	}
	require.Eventually(t, func() bool { return len(client.Events) == 2*ofEach }, time.Minute,
		time.Millisecond)
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
	require.Equal(t, map[string]int{"one": ofEach, "other": ofEach}, next)
	require.Equal(t, []int{1, ofEach, ofEach}, in.Together, "after the first, a call for each thread")
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
		return len(list) > 2*ofEach && pending == 1
	})
	require.NoError(t, err)
	_, kept := in.Seen()
	require.Len(t, kept, 2*ofEach, "all but that one")
}
