package views

// SetLong sets up to how many bytes a file has that is read before a run is shown.
func (f *Folder) SetLong(bytes int64) { f.long = bytes }

// Hold keeps long files from being read until the function that it returns is called.
func (f *Folder) Hold() (release func()) {
	f.reading.Lock()
	return f.reading.Unlock
}

// Forget closes all runs.
func (f *Folder) Forget() {
	f.mu.Lock()
	defer f.mu.Unlock()
	clear(f.open)
}
