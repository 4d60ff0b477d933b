package repository

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/repo/build/packages"
)

func TestSetupIsThatOfTheFolderAndTheCommand(t *testing.T) {
	t.Parallel()
	at := time.Unix(1700000000, 0)
	r := Repository{Scope: "./services/cart", Setup: packages.Config{Env: []string{"A=b"}}}
	require.Equal(t, packages.Config{Env: []string{"A=b"}, Folder: "services/cart", Runner: "pytest", Began: at}, r.SetupFor("python3 -m pytest -q", at))
	require.Equal(t, packages.Config{Began: at}, Repository{}.SetupFor("go test ./...", at))
}

// A name that the configuration does not have may be that of a closed repository, if there is one.
func TestWhichCodeGuestsDoNotSee(t *testing.T) {
	t.Parallel()
	shop, blog := Repository{MembersOnly: true}, Repository{}
	shop.Name, blog.Name = "shop", "blog"
	for name, want := range map[string]bool{"shop": true, "blog": false, "renamed": true, "": true} {
		require.Equal(t, want, Closed([]Repository{blog, shop}, name), name)
		require.False(t, Closed([]Repository{blog}, name), name)
	}
}
