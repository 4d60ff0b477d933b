package pauses_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/workflow/store/internal/record"
	"github.com/bobbinhq/bobbin/workflow/store/pauses"
	"github.com/bobbinhq/bobbin/workflow/store/storetest"
)

func TestAPauseHoldsAndIsToldOnce(t *testing.T) {
	t.Parallel()
	s := storetest.Open(t)
	turn := storetest.BeginTurn(t, s)
	of := func(channel, repository string) string {
		t.Helper()
		p, err := pauses.Of(t.Context(), s.DB, channel, repository)
		require.NoError(t, err)
		if p == nil {
			return ""
		}
		return p.String()
	}
	set := func(scope, name string, want bool) pauses.Pause {
		t.Helper()
		fresh, err := pauses.Set(t.Context(), s.DB, pauses.Pause{Scope: scope, Name: name, By: "ann"})
		require.NoError(t, err)
		require.Equal(t, want, fresh)
		list, err := pauses.List(t.Context(), s.DB)
		require.NoError(t, err)
		for _, p := range list {
			if p.Scope == scope && p.Name == name {
				return p
			}
		}
		return pauses.Pause{}
	}
	require.Empty(t, of("C1", ""))
	shop := set(pauses.Repository, "shop", true)
	set(pauses.Repository, "shop", false)
	require.Equal(t, "repository shop", of("C1", "shop"))
	require.Empty(t, of("shop", "C1"))
	require.Empty(t, of("C1", ""), "not known yet")
	set(pauses.Channel, "C1", true)
	require.Equal(t, "channel C1", of("C1", ""))
	set(pauses.All, "", true)
	require.Equal(t, "everything", of("C2", "site"))
	_, err := pauses.Set(t.Context(), s.DB, pauses.Pause{Scope: "nonsense", By: "ann"})
	require.Error(t, err)

	for p, want := range map[pauses.Pause]bool{{Scope: pauses.All}: true, {Scope: pauses.Channel, Name: turn.Session().Thread.Channel}: true, {Scope: pauses.Channel, Name: "C9"}: false, shop: false} {
		seen, err := pauses.Seen(t.Context(), s.DB, p)
		require.NoError(t, err)
		require.Equal(t, want, seen, p)
	}

	// A pause is told once. One that was lifted and set again is another pause.
	told := func(p pauses.Pause) error { return turn.Record(t.Context(), pauses.Announced(p)) }
	require.NoError(t, told(shop))
	require.ErrorIs(t, told(shop), record.ErrStale)
	standing := `select count(*) from pauses_told d join pauses p using (scope, name, at)`
	require.Equal(t, 1, storetest.CountRows(t, s, standing), "a replica leaves the session alone")
	was, err := pauses.Lift(t.Context(), s.DB, shop)
	require.NoError(t, err)
	require.True(t, was)
	was, err = pauses.Lift(t.Context(), s.DB, shop)
	require.NoError(t, err)
	require.False(t, was)
	require.Zero(t, storetest.CountRows(t, s, standing))
	require.NoError(t, told(set(pauses.Repository, "shop", true)))
}
