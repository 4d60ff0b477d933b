package lfs

import (
	"context"
	"errors"
	"io"
	"net"
	"net/url"
	"testing"

	"github.com/stretchr/testify/require"
)

// FuzzAnswer checks that whatever a server answers, nothing but https is asked for at another host, and each
// object has one result.
func FuzzAnswer(f *testing.F) {
	const oid = "2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824"
	f.Add([]byte(`{"transfer":"basic","objects":[{"oid":"` + oid + `","actions":{"download":{` +
		`"href":"https://cdn.example/x","header":{"X-Y":"z"}}}}]}`))
	f.Add([]byte(`{"objects":[{"oid":"` + oid + `","error":{"code":404,"message":"no"}}]}`))
	f.Add([]byte(`{"objects":[{"oid":"` + oid + `","actions":{"download":{"href":"http://10.0.0.1/"}}}]}`))
	f.Add([]byte(`{"objects":[null,{"oid":"` + oid + `","actions":null}]}`))
	server, err := url.Parse("https://git.example/x.git/info/lfs")
	require.NoError(f, err)
	f.Fuzz(func(t *testing.T, text []byte) {
		places, _, ok := readAnswer(text)
		if !ok {
			return
		}
		c := &Client{Server: server, Dial: func(_ context.Context, _ string, _ uint16) (net.Conn, error) {
			return nil, errors.New("nothing is contacted here")
		}}
		c.once.Do(c.setUp)
		defer c.Close()
		said := places[oid]
		err := c.fetchOne(t.Context(), Object{oid, 5}, said, func(Object, io.Reader) error {
			t.Fatal("nothing can be there")
			return nil
		})
		var failure *Failure
		require.ErrorAs(t, err, &failure)
		require.NotContains(t, failure.Why, "\n")
		if said.Actions.Download != nil {
			at, err := server.Parse(said.Actions.Download.Href)
			problem := c.judge(at, err)
			require.True(t, problem != nil || at.Scheme == "https", said.Actions.Download.Href)
		}
	})
}
