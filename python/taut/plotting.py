"""Pictures, with matplotlib."""

from .running import Result


def plot(result, *bodies, axis="y", ax=None):
    """Draws a coordinate of bodies over time; of all bodies if none are named, of many the first
    ten. Returns the axes.

    :param result: what ``taut.run`` made, or a list of such, to compare.
    :param axis: "x", "y" or "z"; or two of them, "xy": the path.
    """
    import matplotlib.pyplot as pyplot

    if ax is None:
        _, ax = pyplot.subplots()
    results = [result] if isinstance(result, Result) else list(result)
    numbers = ["xyz".index(letter) for letter in axis]
    for one in results:
        for body in bodies or one.bodies[:10]:
            state = one[body]
            label = state.name if len(results) == 1 else f"{state.name}, {one.method}"
            places = state.position
            if len(numbers) == 1:
                ax.plot(one.times, places[:, numbers[0]], label=label)
            else:
                ax.plot(places[:, numbers[0]], places[:, numbers[1]], label=label)
    if len(numbers) == 1:
        ax.set_xlabel("t [s]")
        ax.set_ylabel(f"{axis} [m]")
    else:
        ax.set_xlabel(f"{axis[0]} [m]")
        ax.set_ylabel(f"{axis[1]} [m]")
        ax.set_aspect("equal", adjustable="datalim")
    ax.set_title(results[0].scene)
    ax.legend()
    return ax
