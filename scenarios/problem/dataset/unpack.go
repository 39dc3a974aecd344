package dataset

import (
	"archive/tar"
	"archive/zip"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
)

// unpack calls put with each wanted member of an archive, a .zip or a .tar.gz
// by its name. Only members that are wanted are looked at and their names in
// the archive choose no path, so that no archive can write elsewhere.
func unpack(path, name string, wanted []Member, put func(Member, io.Reader) error) error {
	if strings.HasSuffix(name, ".zip") {
		return unpackZip(path, name, wanted, put)
	}
	return unpackTar(path, name, wanted, put)
}

// unpackZip opens each wanted member by its name. A zip file has a list of its members at
// its end, so that no other member is read.
func unpackZip(path, name string, wanted []Member, put func(Member, io.Reader) error) error {
	archive, err := zip.OpenReader(path)
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	defer archive.Close()
	for _, member := range wanted {
		r, err := archive.Open(member.Path)
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		err = put(member, r)
		if err := errors.Join(err, r.Close()); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	return nil
}

// unpackTar goes through the archive once, and stops when all wanted members have been
// met. A tar file has no list of members. Links and folders of a wanted name are passed
// over: only a regular file is a member. A member that is absent is an error.
func unpackTar(path, name string, wanted []Member, put func(Member, io.Reader) error) error {
	file, err := os.Open(path)
	if err != nil {
		return err
	}
	defer file.Close()
	plain, err := gzip.NewReader(file)
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	left := map[string]Member{}
	for _, member := range wanted {
		left[member.Path] = member
	}
	for archive := tar.NewReader(plain); len(left) > 0; {
		header, err := archive.Next()
		if err == io.EOF {
			break
		}
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		member, ok := left[header.Name]
		if !ok || header.Typeflag != tar.TypeReg {
			continue
		}
		if err := put(member, archive); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		delete(left, header.Name)
	}
	for _, member := range wanted {
		if _, absent := left[member.Path]; absent {
			return fmt.Errorf("%s: has no %s", name, member.Path)
		}
	}
	return nil
}
