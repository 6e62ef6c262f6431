# Puts the executables on the path, as `. install/setup.bash` finds it.
_hexapod_executables="$COLCON_CURRENT_PREFIX/lib/hexapod"
case ":$PATH:" in
  *":$_hexapod_executables:"*) ;;
  *) export PATH="$_hexapod_executables:$PATH" ;;
esac
unset _hexapod_executables
