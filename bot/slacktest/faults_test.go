package slacktest

import (
	"errors"
	"io"
	"net/http"
	"testing"
	"time"

	"github.com/slack-go/slack"
	"github.com/stretchr/testify/require"
)

func (o *office) try(text string) error {
	_, _, err := o.api.PostMessage(o.bugs.ID, slack.MsgOptionText(text, false))
	return err
}

func TestRateLimited(t *testing.T) {
	t.Parallel()
	o := openOffice(t, Config{})
	o.Order(Fault{
		Method:     "chat.postMessage",
		Nth:        2,
		Status:     http.StatusTooManyRequests,
		RetryAfter: 1500 * time.Millisecond,
	})
	require.NoError(t, o.try("one"))
	var limited *slack.RateLimitedError
	require.ErrorAs(t, o.try("two"), &limited)
	require.Equal(t, 2*time.Second, limited.RetryAfter)
	require.NoError(t, o.try("three"))
	require.Len(t, o.Channel("bugs"), 2)
	require.Equal(t, []int{200, 429, 200}, o.statuses("chat.postMessage"))
}

func (o *office) statuses(method string) []int {
	var list []int
	for _, r := range o.Requests(method) {
		list = append(list, r.Status)
	}
	return list
}

func TestServerErrors(t *testing.T) {
	t.Parallel()
	o := openOffice(t, Config{})
	o.Order(Fault{Status: 503, Times: 2})
	o.Order(Fault{Status: 500})
	for _, status := range []int{503, 503, 500} {
		var failed slack.StatusCodeError
		require.ErrorAs(t, o.try("x"), &failed)
		require.Equal(t, status, failed.Code)
	}
	require.NoError(t, o.try("x"))
	require.Len(t, o.Channel("bugs"), 1)
}

func TestALostAnswer(t *testing.T) {
	t.Parallel()
	o := openOffice(t, Config{})
	o.Order(Fault{Method: "chat.postMessage", LoseAnswer: true})
	err := o.try("did it arrive?")
	require.Error(t, err)
	require.True(t, errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF), "%v", err)
	require.Equal(t, "did it arrive?", o.Channel("bugs")[0].Text, "it did")
	log := o.Requests("chat.postMessage")
	require.Len(t, log, 1)
	require.True(t, log[0].Lost)
	require.NoError(t, o.try("again"))
}

func TestLatency(t *testing.T) {
	t.Parallel()
	o := openOffice(t, Config{})
	o.Order(Fault{Method: "auth.test", Latency: 60 * time.Millisecond})
	start := time.Now()
	_, err := o.api.AuthTest()
	require.NoError(t, err)
	require.GreaterOrEqual(t, time.Since(start), 60*time.Millisecond)

	o.Order(Fault{Latency: time.Hour})
	done := make(chan error, 1)
	go func() { done <- o.try("x") }()
	require.Eventually(t, func() bool { return len(o.Requests("chat.postMessage")) == 1 }, time.Minute,
		time.Millisecond)
	o.Close()
	require.Error(t, <-done)
}

func TestAnyErrorCode(t *testing.T) {
	t.Parallel()
	o := openOffice(t, Config{})
	o.Order(Fault{Error: "token_revoked", Times: -1})
	for range 3 {
		refused(t, o.try("x"), "token_revoked")
	}
	o.ClearFaults()
	require.NoError(t, o.try("x"))
}

func TestFaultsOfOneChannel(t *testing.T) {
	t.Parallel()
	o := openOffice(t, Config{})
	other := o.AddChannel(Channel{Name: "other", Members: []string{o.App().BotUser}})
	o.Order(Fault{Channel: other.ID, Status: 500, Times: -1})
	require.NoError(t, o.try("x"))
	_, _, err := o.api.PostMessage(other.ID, slack.MsgOptionText("x", false))
	require.Error(t, err)
}

func TestProbableFaultsAreTheSameForTheSameSeed(t *testing.T) {
	t.Parallel()
	run := func(seed uint64) []int {
		o := openOffice(t, Config{Seed: seed})
		o.Order(Fault{Method: "chat.postMessage", Probability: 0.3, Status: 500})
		for range 60 {
			_ = o.try("x")
		}
		return o.statuses("chat.postMessage")
	}
	one := run(7)
	require.Equal(t, one, run(7))
	require.NotEqual(t, one, run(8))
	require.Contains(t, one, 500)
	require.Contains(t, one, 200)
}

func TestRateLimitsAreKept(t *testing.T) {
	t.Parallel()
	now := time.Now()
	o := openOffice(t, Config{
		Now:        func() time.Time { return now },
		RateLimits: map[string]RateLimit{"chat.postMessage": {Every: time.Second, ByChannel: true}},
	})
	other := o.AddChannel(Channel{Name: "other", Members: []string{o.App().BotUser}})
	require.NoError(t, o.try("one"))
	var limited *slack.RateLimitedError
	require.ErrorAs(t, o.try("two"), &limited)
	require.Equal(t, time.Second, limited.RetryAfter)
	_, _, err := o.api.PostMessage(other.ID, slack.MsgOptionText("x", false))
	require.NoError(t, err, "another channel has its own")
	o.mu.Lock()
	now = now.Add(time.Second)
	o.mu.Unlock()
	require.NoError(t, o.try("two"))
}

func TestSlackGoRetriesAsToldByUs(t *testing.T) {
	t.Parallel()
	o := openOffice(t, Config{})
	o.Order(Fault{Method: "chat.postMessage", Status: 429, RetryAfter: time.Nanosecond})
	client := o.client(o.App().BotToken, slack.OptionRetry(1))
	_, _, err := client.PostMessage(o.bugs.ID, slack.MsgOptionText("x", false))
	require.NoError(t, err)
	require.Equal(t, []int{429, 200}, o.statuses("chat.postMessage"))
}
