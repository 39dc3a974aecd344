package observatory

import (
	"crypto/subtle"
	"net/http"
	"strings"
)

// mostBody is the size limit of the body of a request, in bytes.
const mostBody = 1 << 20

// guarded refuses requests that do not come from the page, and sets the headers that limit the
// page in browsers. See the package comment.
func (s *Server) guarded(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		for name, value := range pageHeaders() {
			w.Header().Set(name, value)
		}
		host := s.listener.Addr().String()
		switch {
		case r.Host != host:
			refuseTo(w, r, http.StatusForbidden, "this server answers only to "+host)
		case !s.fromHere(r):
			refuse(w, http.StatusForbidden, "the request comes from another page")
		case !s.admitted(r):
			refuseTo(w, r, http.StatusUnauthorized, "the token is missing or of another start; open the address that starling ui printed")
		case r.ContentLength > mostBody:
			refuse(w, http.StatusRequestEntityTooLarge, "the request is larger than 1 MiB")
		default:
			r.Body = http.MaxBytesReader(w, r.Body, mostBody)
			next.ServeHTTP(&prompt{ResponseWriter: w, server: s}, r)
		}
	})
}

// refuseTo refuses a request: a browser that asks for the page gets one that says how to open it.
func refuseTo(w http.ResponseWriter, r *http.Request, status int, text string) {
	if r.Method == http.MethodGet && r.URL.Path == "/" && strings.Contains(r.Header.Get("Accept"), "text/html") {
		reason, _, _ := strings.Cut(text, ";") // the page says the rest
		writeClosed(w, status, reason)
		return
	}
	refuse(w, status, text)
}

// prompt is an answer that has to be read in time once it begins.
type prompt struct {
	http.ResponseWriter
	server *Server
	begun  bool
}

// begin hastens the reader, once.
func (p *prompt) begin() {
	if !p.begun {
		p.begun = true
		p.server.hasten(p.ResponseWriter)
	}
}

// WriteHeader implements http.ResponseWriter.
func (p *prompt) WriteHeader(status int) {
	p.begin()
	p.ResponseWriter.WriteHeader(status)
}

// Write implements http.ResponseWriter.
func (p *prompt) Write(b []byte) (int, error) {
	p.begin()
	return p.ResponseWriter.Write(b)
}

// Unwrap is for http.ResponseController.
func (p *prompt) Unwrap() http.ResponseWriter { return p.ResponseWriter }

// fromHere reports whether no other page has sent the request. Browsers name the origin of a
// request; programs such as curl do not.
func (s *Server) fromHere(r *http.Request) bool {
	origin := "http://" + s.listener.Addr().String()
	if sent, ok := r.Header["Origin"]; ok && (len(sent) != 1 || sent[0] != origin) {
		return false
	}
	switch r.Header.Get("Sec-Fetch-Site") {
	case "", "same-origin", "none": // none is an address that somebody has typed
		return true
	}
	// A link on another page may lead here; nothing else of another page may.
	return r.Method == http.MethodGet && r.Header.Get("Sec-Fetch-Mode") == "navigate" && r.URL.Path == "/"
}

// admitted reports whether the request has the token: in its header, in the path of a file
// that the page loads, or in the query of a request that changes nothing.
func (s *Server) admitted(r *http.Request) bool {
	if sent, ok := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer "); ok {
		return s.is(sent)
	}
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		return false
	}
	first, _, below := strings.Cut(strings.TrimPrefix(r.URL.Path, "/"), "/")
	return below && s.is(first) || s.is(r.URL.Query().Get("token"))
}

// is reports whether a text is the token. It compares in constant time.
func (s *Server) is(text string) bool {
	return subtle.ConstantTimeCompare([]byte(text), []byte(s.token)) == 1
}
