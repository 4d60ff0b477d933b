package repo

import "net/http"

// guard asks for Basic credentials as hosts do.
func guard(next http.Handler, token string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		user, pass, _ := r.BasicAuth()
		switch {
		case token == "", user == "x-access-token" && pass == token:
			next.ServeHTTP(w, r)
		case pass != "" && pass != "revoked":
			http.Error(w, "no", http.StatusForbidden)
		default:
			w.Header().Set("WWW-Authenticate", `Basic realm="git"`)
			http.Error(w, "who?", http.StatusUnauthorized)
		}
	})
}
