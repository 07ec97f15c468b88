package main

import (
	"fmt"
	"go/types"
	"slices"
)

// This file finds type arguments for generic functions and types: those that a caller names, or ones that satisfy the
// constraints.

// typeArguments evaluates type arguments, or picks one for each parameter that satisfies its constraint.
func typeArguments(u *Unit, fn *types.Func, params *types.TypeParamList, texts []string) ([]types.Type, error) {
	args := make([]types.Type, params.Len())
	if len(texts) > 0 && len(texts) != len(args) {
		return nil, fmt.Errorf("%d type arguments are wanted", len(args))
	}
	for i, text := range texts {
		tv, err := types.Eval(u.Fset, u.Types, fn.Pos(), text)
		if err != nil || !tv.IsType() {
			return nil, fmt.Errorf("%q is no type there", text)
		}
		args[i] = tv.Type
	}
	if len(texts) > 0 {
		return args, nil
	}
	// A constraint may speak of other parameters: those without such go first.
	for range args {
		for i := range args {
			if args[i] == nil {
				args[i] = argumentFor(u, params, i, args)
			}
		}
	}
	for i, arg := range args {
		if arg == nil {
			return nil, fmt.Errorf("no type is known to satisfy %s", types.TypeString(params.At(i).Constraint(), types.RelativeTo(u.Types)))
		}
	}
	return args, nil
}

// argumentFor is a type that satisfies the constraint of a parameter, nil when none is found.
func argumentFor(u *Unit, params *types.TypeParamList, i int, known []types.Type) types.Type {
	constraint, ok := params.At(i).Constraint().Underlying().(*types.Interface)
	if !ok {
		return nil
	}
	candidates := []types.Type{types.Typ[types.Int], types.Typ[types.String], types.Typ[types.Float64],
		types.Typ[types.Bool], types.NewSlice(types.Typ[types.Byte]), types.Universe.Lookup("error").Type()}
	if terms := termsOf(constraint); len(terms) > 0 {
		candidates = nil
		for _, term := range terms {
			if t := replaceParams(term, params, known); t != nil {
				candidates = append(candidates, t)
			}
		}
		if slices.ContainsFunc(terms, mentionsParam) { // only the whole list of arguments can be judged
			return first(candidates)
		}
	} else {
		candidates = append(candidates, typesOfScope(u.Types.Scope())...)
	}
	return first(slices.DeleteFunc(candidates, func(t types.Type) bool { return !types.Satisfies(t, constraint) }))
}

func first(list []types.Type) types.Type {
	if len(list) == 0 {
		return nil
	}
	return list[0]
}

// typesOfScope is the concrete types that a package declares, with their pointers.
func typesOfScope(scope *types.Scope) []types.Type {
	var list []types.Type
	for _, name := range scope.Names() {
		tn, ok := scope.Lookup(name).(*types.TypeName)
		if !ok || tn.IsAlias() || types.IsInterface(tn.Type()) {
			continue
		}
		if named, ok := tn.Type().(*types.Named); ok && named.TypeParams().Len() == 0 {
			list = append(list, named, types.NewPointer(named))
		}
	}
	return list
}

// termsOf is the types that a constraint lists, embedded constraints included.
func termsOf(constraint *types.Interface) []types.Type {
	var list []types.Type
	for embedded := range constraint.EmbeddedTypes() {
		switch e := embedded.(type) {
		case *types.Union:
			for term := range e.Terms() {
				if inner, ok := term.Type().Underlying().(*types.Interface); ok {
					list = append(list, termsOf(inner)...)
				} else {
					list = append(list, term.Type())
				}
			}
		default:
			if inner, ok := e.Underlying().(*types.Interface); ok {
				list = append(list, termsOf(inner)...)
			} else {
				list = append(list, e)
			}
		}
	}
	return list
}

// replaceParams is a type with the known arguments for the parameters, nil where one is not known yet.
func replaceParams(t types.Type, params *types.TypeParamList, known []types.Type) types.Type {
	switch t := t.(type) {
	case *types.TypeParam:
		for i := range params.Len() {
			if params.At(i) == t {
				return known[i]
			}
		}
		return nil
	case *types.Slice:
		if elem := replaceParams(t.Elem(), params, known); elem != nil {
			return types.NewSlice(elem)
		}
		return nil
	case *types.Pointer:
		if elem := replaceParams(t.Elem(), params, known); elem != nil {
			return types.NewPointer(elem)
		}
		return nil
	case *types.Map:
		key, elem := replaceParams(t.Key(), params, known), replaceParams(t.Elem(), params, known)
		if key != nil && elem != nil {
			return types.NewMap(key, elem)
		}
		return nil
	}
	return t
}

func mentionsParam(t types.Type) bool {
	switch t := t.(type) {
	case *types.TypeParam:
		return true
	case *types.Slice:
		return mentionsParam(t.Elem())
	case *types.Pointer:
		return mentionsParam(t.Elem())
	case *types.Map:
		return mentionsParam(t.Key()) || mentionsParam(t.Elem())
	}
	return false
}
