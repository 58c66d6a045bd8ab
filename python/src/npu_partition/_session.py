# SPDX-License-Identifier: Apache-2.0
"""How a session of ONNX Runtime is told to do what a plan says: its provider, and the options of the op list."""
from __future__ import annotations

import ctypes
import dataclasses
import json
import os
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from . import _native
from ._analysis import Target, analyze
from ._errors import ArgumentError
from ._library import Handle, decoded, items, library, read_text, sized
from ._source import Live

if TYPE_CHECKING:
    import onnxruntime

EMPTY = b"\x08\x08\x3a\x03\x12\x01g\x42\x02\x10\x11"  # a model without nodes: IR version 8, opset 17, a graph "g"
CPU = "CPUExecutionProvider"
ADVISED = "Set the provider option "  # how an action of kind `option` begins (lib/change/advice/actions.def)


@dataclasses.dataclass(frozen=True, slots=True)
class SessionOptions:
    """What a session of ONNX Runtime has to be told for a plan to hold; what ``--settings`` writes."""

    provider: str
    """``QNNExecutionProvider``; of a target that is compiled beforehand the one that compiles."""
    provider_options: Mapping[str, str]
    session_config: Mapping[str, str]
    """Entries of the session's configuration."""
    free_dimension_overrides: Mapping[str, int]
    """Sizes that the plan was made with."""
    level: str = "basic"
    """Of the plan: with ``"off"`` the session optimizes nothing."""
    package: str = ""
    """What brings the provider: ``pip install onnxruntime-qnn``."""
    needs: str = ""
    """What else it needs; empty: nothing."""
    reasons: Mapping[str, str] = dataclasses.field(default_factory=dict)
    """By option what it does, where the op list says it."""

    @property
    def providers(self) -> list[Any]:
        """The argument `providers` of an ``InferenceSession``: this one, then the CPU. Not of a plug-in."""
        return [(self.provider, dict(self.provider_options)), CPU]

    def apply(self, options: onnxruntime.SessionOptions | None = None) -> onnxruntime.SessionOptions:
        """Options of a session with all of this but the provider.

        Args:
            options: those to which it is added; None: new ones.
        """
        import onnxruntime

        made = onnxruntime.SessionOptions() if options is None else options
        for name, size in self.free_dimension_overrides.items():
            made.add_free_dimension_override_by_name(name, size)
        for key, value in self.session_config.items():
            made.add_session_config_entry(key, value)
        if self.level == "off":
            made.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
        return made

    def session(self, model: str | bytes | os.PathLike[str],
                options: onnxruntime.SessionOptions | None = None) -> onnxruntime.InferenceSession:
        """A session with all of this; `options` as of `apply`. A provider that is a plug-in has to be registered.

        Raises:
            ArgumentError: ONNX Runtime does not have the provider, or cannot make it, as without a driver. By itself it
                would run all on the CPU.
        """
        import onnxruntime

        made, path = self.apply(options), model if isinstance(model, bytes) else os.fspath(model)
        plugins = onnxruntime.get_ep_devices() if hasattr(onnxruntime, "get_ep_devices") else ()
        devices = [device for device in plugins if device.ep_name == self.provider]
        if devices and self.provider != CPU:  # a plug-in that is handed over by its name is passed over without a word
            made.add_provider_for_devices(devices, dict(self.provider_options))
            session = onnxruntime.InferenceSession(path, made)
        elif self.provider in onnxruntime.get_available_providers():
            session = onnxruntime.InferenceSession(path, made, providers=self.providers)
        else:
            raise ArgumentError(f"this ONNX Runtime has no {self.provider}: {self.package}")
        if self.provider not in session.get_providers():
            raise ArgumentError(f"ONNX Runtime could not make {self.provider}, and said why on standard error")
        return session


def session_options(target: Target | str, *, oplist: str | os.PathLike[str] | None = None) -> SessionOptions:
    """The provider and the options by which a session of ONNX Runtime does what a plan says.

    Args:
        target: one target of an analysis; or its text, ``"hexagon:v75"``, for what depends on no model.
        oplist: of a text: an op list of your own.

    Raises:
        ArgumentError: ONNX Runtime has no provider for the target.
    """
    if isinstance(target, Target):
        return _of_plan(target)
    return _of_plan(analyze(EMPTY, [target], oplist=oplist, advice=False).targets[0])


def tool_settings(target: Target) -> Any:
    """What ``--settings`` writes for a target: what the tools that run the model have to be told.

    Raises:
        ArgumentError: a name that is needed is no UTF-8, or the analysis is of no model that is still there.
    """
    source = target._source
    plan = source.plans[target._at] if isinstance(source, Live) else source.live().plans[target._at]
    advice = plan.advice.pointer if plan.advice else None
    return json.loads(read_text(library.npart_plan_settings, plan.plan.pointer, advice))


def _of_plan(target: Target) -> SessionOptions:
    handle = _handle(target)
    provider = sized(_native.npart_provider)
    if not library.npart_plan_provider(handle.pointer, ctypes.byref(provider)):
        raise ArgumentError(f"ONNX Runtime has no provider for {target.name}")
    of_session: dict[str, str] = {}
    of_provider: dict[str, str] = {}
    reasons: dict[str, str] = {}
    for option in items(handle, library.npart_plan_provider_option, _native.npart_provider_option):
        name = decoded(option.name)
        (of_session if option.is_session else of_provider)[name] = decoded(option.value)
        if option.text:
            reasons[name] = decoded(option.text)
    of_provider.update(_advised(target))
    if target.target == "tidl":
        of_provider["deny_list:layer_name"] = ",".join(_denied(target))
    if target.summary.verdict == "whole":
        of_session["session.disable_cpu_ep_fallback"] = "1"
    return SessionOptions(decoded(provider.compiler or provider.name), of_provider, of_session, _sizes(target),
                          target.level, decoded(provider.package), decoded(provider.hint), reasons)


def _handle(target: Target) -> Handle:
    """A plan; of a report that was kept one without a model, as the list's options do not depend on it."""
    source = target._source
    if isinstance(source, Live):
        return source.plans[target._at].plan
    request = source.request
    text = request.targets[target._at] if request else f"{target.name}@{target.toolchain}".removesuffix("@")
    oplist = request.options.get("oplist") if request else None
    return _handle(analyze(EMPTY, [text], oplist=oplist, advice=False).targets[0])


def _advised(target: Target) -> dict[str, str]:
    """What the advice names: "Set the provider option NAME=VALUE: ..."."""
    found = (action.text.removeprefix(ADVISED).split(":")[0] for action in target.advice
             if action.text.startswith(ADVISED))
    return {name: value for name, _, value in (item.partition("=") for item in found)}


def _denied(target: Target) -> list[str]:
    """Names of nodes that TIDL leaves to the CPU. One with a comma, or none, cannot be denied."""
    nodes = (target.nodes[index] for index in target.order)
    return [node.name for node in nodes
            if node.graph == "" and node.partition is None and node.name and "," not in node.name]


def _sizes(target: Target) -> dict[str, int]:
    """What the plan rests on. ONNX Runtime has no such option for an upper bound, or for INPUT.AXIS."""
    request = target._source.request
    dims = (request.options.get("dims") if request else None) or {}
    return {name: int(size) for name, size in dims.items() if "." not in name and not str(size).startswith("..")}
